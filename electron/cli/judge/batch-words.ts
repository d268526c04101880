import { batchState, type StoredBatch } from '@shared/judging/batch';

/** A batch as `--json` tells it. `held`: some process asks its judge now. */
export function batchJson(batch: StoredBatch, held: boolean) {
  const { id, at, choices, end, counts } = batch;
  const { against, unparsable: _, ...others } = counts;
  const state = batchState(batch, held);
  return {
    batch: id,
    state,
    ended:
      state === 'ended' && end !== null
        ? { why: end.why, ...(end.failure === null ? {} : { failure: end.failure }) }
        : null,
    mode: choices.mode,
    judge: choices.judge,
    rubrics: [choices.rubrics.steps.version, choices.rubrics.summaries.version],
    ...others,
    masks: against,
    runs: choices.runs,
    steps: choices.steps,
    model: choices.model.model,
    baseUrl: choices.model.baseUrl,
    maxCost: choices.maxCost,
    beganAt: at,
    endedAt: end?.at ?? null,
  };
}

export const thousands = (value: number) => value.toLocaleString('en-US');

export const costWords = (cost: number | null) =>
  cost === null ? 'cost unknown' : `cost ${cost.toFixed(4)}`;
