import { WaymarkError } from '@shared/contract/errors';
import { isId } from '@shared/contract/id';
import { batchState, rubricsOf, type StoredBatch } from '@shared/judging/batch';
import { standing } from '../../judging/standing-batches';
import type { CliContext } from '../context';
import { type CommandResult, counted, section, table } from '../output';
import { batchJson, costWords, thousands, voteWords } from './batch-words';

/** Batches that are listed. */
const MOST = 1_000;

/** `judge list`: batches of the workspace, the newest first. */
export async function listBatches({ reader, store }: CliContext): Promise<CommandResult> {
  const isAsked = (judge: string) => store.isAsked(judge);
  const batches = await standing({ reader, isAsked }, await reader.judgeBatches(MOST));
  return {
    json: batches.map(({ batch, isHeld }) => batchJson(batch, isHeld)),
    lines:
      batches.length === 0
        ? ['No judge has been asked in this workspace yet. Ask one with "judge run".']
        : table(batches.map(({ batch, isHeld }) => cellsOf(batch, isHeld))),
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
              ['votes per step', String(choices.votes)],
              ['temperature', temperature === undefined ? 'the endpoint’s own' : String(temperature)],
              ['outcome', choices.future ? 'weighed as well' : 'ignored'],
            ]),
        ['steps', `${steps} of ${runs.length === 1 ? `run ${runs[0]}` : `${runs.length} runs`}`],
        ['cost limit', maxCost === null ? 'none' : String(maxCost)],
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

/** `judge stop BATCH`: the process that asks its judge, whichever that is, sends nothing more and stores what is under way. */
export async function stopBatch({ store, reader }: CliContext, { id }: StoredBatch): Promise<CommandResult> {
  const look = async () => {
    const batch = await reader.judgeBatch(id);
    const [found] = await standing({ reader, isAsked: (judge) => store.isAsked(judge) }, [batch]);
    return found ?? { batch, isHeld: false };
  };
  if ((await look()).isHeld) await store.writer.stopBatch(id);
  // A process that was killed leaves the mark, and nobody heeds it.
  const { batch, isHeld } = await look();
  const isRunning = isHeld && batch.isStopping && batch.end === null;
  return {
    json: batchJson(batch, isRunning),
    lines: [
      isRunning
        ? `Batch ${id} is stopping: nothing more is sent, and it ends once the requests in progress are answered and stored. Ctrl C where it runs ends it at once. "judge resume ${id}" continues from there.`
        : `There is nothing to stop. Batch ${id}: ${stateWords(batch, false)}`,
    ],
  };
}

/** The batch that the word names, by its id or how that begins. @throws WaymarkError bad_input, not_found */
export async function namedBatch({ reader }: CliContext, word: string | undefined): Promise<StoredBatch> {
  const start = (word ?? '').toUpperCase();
  if (start === '')
    throw new WaymarkError('bad_input', 'Name the batch by its id. "judge list" shows all of them.');
  // By its whole id also one that is not listed.
  if (isId(start)) return reader.judgeBatch(start);
  const found = (await reader.judgeBatches(MOST)).filter(({ id }) => id.startsWith(start));
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

function cellsOf(batch: StoredBatch, held: boolean): string[] {
  const { id, at, choices, counts } = batch;
  return [
    id,
    new Date(at).toISOString().slice(0, 16),
    choices.judge,
    choices.mode === 'mask' && choices.isTrial === true ? 'trial' : choices.mode,
    batchState(batch, held),
    counted(counts.votes, 'vote'),
    counted(counts.asked, 'answer'),
    costWords(counts.cost),
  ];
}

function stateWords(batch: StoredBatch, held: boolean): string {
  const { end, id } = batch;
  const goesOn = `"judge resume ${id}" continues from there.`;
  switch (batchState(batch, held)) {
    case 'running':
      return batch.isStopping ? 'running, and stopping after the requests in progress.' : 'running.';
    case 'done':
      return 'done.';
    case 'interrupted':
      return `interrupted: its process is gone. ${goesOn}`;
    case 'ended':
      if (end?.why === 'cost') return `ended at its cost limit. ${goesOn}`;
      if (end?.why === 'cancelled') return `stopped. ${goesOn}`;
      return `ended by a failure: ${end?.failure?.message ?? 'unknown'} ${goesOn}`;
  }
}
