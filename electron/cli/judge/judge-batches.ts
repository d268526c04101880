import { WaymarkError } from '@shared/contract/errors';
import { batchState, rubricsOf, type StoredBatch } from '@shared/judging/batch';
import type { CliContext } from '../context';
import { type CommandResult, section, table } from '../output';
import { batchJson, costWords, thousands, voteWords } from './batch-words';

/** `judge list`: batches of the workspace, the newest first. */
export async function listBatches({ reader, store }: CliContext): Promise<CommandResult> {
  const batches = await reader.judgeBatches();
  const held = heldJudges(store, batches);
  return {
    json: batches.map((batch) => batchJson(batch, held.has(batch.choices.judge))),
    lines:
      batches.length === 0
        ? ['No judge was asked in this workspace yet. Ask one with "judge run".']
        : table(batches.map((batch) => cellsOf(batch, held.has(batch.choices.judge)))),
  };
}

/** `judge show BATCH`: what was asked for, where it stands, what came of it. */
export async function showBatch({ store }: CliContext, batch: StoredBatch): Promise<CommandResult> {
  const { id, at, choices, counts } = batch;
  const held = store.isAsked(choices.judge);
  const { model, runs, steps, maxCost } = choices;
  const { temperature } = model.params;
  return {
    json: batchJson(batch, held),
    lines: [
      `Batch ${id}: ${stateWords(batch, held)}`,
      ...section('Asked for', [
        ['judge', choices.judge],
        ['model', `${model.model} at ${model.baseUrl}`],
        ['rubrics', rubricsOf(choices).join(', ')],
        ...(choices.mode === 'mask'
          ? []
          : [
              ['votes a step', String(choices.votes)],
              ['temperature', temperature === undefined ? 'the endpoint’s own' : String(temperature)],
              ['outcome', choices.future ? 'weighed as well' : 'left out of account'],
            ]),
        ['steps', `${steps} of ${runs.length === 1 ? `run ${runs[0]}` : `${runs.length} runs`}`],
        ['limit on money', maxCost === null ? 'none' : String(maxCost)],
        ['began', new Date(at).toISOString()],
      ]),
      ...section('So far', [
        ['answers', String(counts.asked)],
        ['votes', voteWords(batch).replace(/ votes?/, '')],
        ...(counts.missing === 0 ? [] : [['without a verdict', String(counts.missing)]]),
        ['tokens', `${thousands(counts.inputTokens)} in, ${thousands(counts.outputTokens)} out`],
        ['cost', costWords(counts.cost).replace(/^cost /, '')],
      ]),
    ],
  };
}

/** The batch that the word names, by its id or how that begins. @throws WaymarkError bad_input, not_found */
export async function namedBatch({ reader }: CliContext, word: string | undefined): Promise<StoredBatch> {
  const start = (word ?? '').toUpperCase();
  if (start === '')
    throw new WaymarkError('bad_input', 'Name the batch by its id. "judge list" shows all of them.');
  const found = (await reader.judgeBatches()).filter(({ id }) => id.startsWith(start));
  const [batch, another] = found;
  if (batch === undefined)
    throw new WaymarkError(
      'not_found',
      `There is no batch "${word}" in this workspace. "judge list" shows those that are.`,
    );
  if (another !== undefined)
    throw new WaymarkError(
      'bad_input',
      `${found.length} batches begin with "${word}". Write more of the id, as "judge list" shows it.`,
    );
  return batch;
}

function heldJudges(store: CliContext['store'], batches: readonly StoredBatch[]): Set<string> {
  // Only one that has no end can be going on.
  const open = batches.filter(({ end }) => end === null).map(({ choices }) => choices.judge);
  return new Set([...new Set(open)].filter((judge) => store.isAsked(judge)));
}

function cellsOf(batch: StoredBatch, held: boolean): string[] {
  const { id, at, choices, counts } = batch;
  return [
    id,
    new Date(at).toISOString().slice(0, 16),
    choices.judge,
    choices.mode,
    batchState(batch, held),
    `${counts.votes} votes`,
    `${counts.asked} answers`,
    costWords(counts.cost),
  ];
}

function stateWords(batch: StoredBatch, held: boolean): string {
  const { end, id } = batch;
  const goesOn = `"judge resume ${id}" goes on from there.`;
  switch (batchState(batch, held)) {
    case 'running':
      return 'running.';
    case 'done':
      return 'done.';
    case 'interrupted':
      return `interrupted: its process is gone. ${goesOn}`;
    case 'ended':
      if (end?.why === 'cost') return `ended at its limit on money. ${goesOn}`;
      if (end?.why === 'cancelled') return `stopped by Ctrl C. ${goesOn}`;
      return `ended by a failure: ${end?.failure?.message ?? 'unknown'} ${goesOn}`;
  }
}
