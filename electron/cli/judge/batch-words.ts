import { batchState, rubricsOf, type StoredBatch } from '@shared/judging/batch';
import { counted } from '../output';

/** A batch as `--json` tells it. `held`: some process asks its judge now. */
export function batchJson(batch: StoredBatch, held: boolean) {
  const { id, at, choices, end, counts } = batch;
  const { against, unparsable, ...others } = counts;
  const values =
    choices.mode === 'mask'
      ? { masks: against }
      : { plus: counts.votes - against - unparsable, minus: against, unparsable };
  const state = batchState(batch, held);
  return {
    batch: id,
    state,
    ended:
      state === 'ended' && end !== null
        ? { why: end.why, ...(end.failure === null ? {} : { failure: end.failure }) }
        : null,
    ...(state === 'running' && batch.isStopping ? { stopping: true } : {}),
    mode: choices.mode,
    ...(choices.mode === 'mask' && choices.isTrial === true ? { trial: true } : {}),
    judge: choices.judge,
    rubrics: rubricsOf(choices),
    ...(choices.mode === 'mask'
      ? {}
      : {
          votesPerStep: choices.votes,
          future: choices.future,
          temperature: choices.model.params.temperature,
        }),
    ...others,
    ...values,
    runs: choices.runs,
    steps: choices.steps,
    model: choices.model.model,
    baseUrl: choices.model.baseUrl,
    maxCost: choices.maxCost,
    beganAt: at,
    endedAt: end?.at ?? null,
  };
}

/** "12 votes, 3 of them MASK", or how many of each rating. */
export function voteWords({
  choices: { mode },
  counts: { votes, against, unparsable },
}: StoredBatch): string {
  if (mode === 'mask') return `${counted(votes, 'vote')}, ${against} of them MASK`;
  return `${counted(votes, 'vote')}: ${votes - against - unparsable} of +1, ${against} of −1, ${unparsable} not understood`;
}

export const thousands = (value: number) => value.toLocaleString('en-US');

export const costWords = (cost: number | null) =>
  cost === null ? 'cost unknown' : `cost ${cost.toFixed(4)}`;
