import { type Failure, isErrorCode } from '@shared/contract/errors';
import type { JudgeBatchView } from '@shared/contract/judge-views';
import { batchState, type StoredBatch } from '@shared/judging/batch';
import type { Author } from '@shared/log/annotations';
import { unlessRemoved } from '../review/step-owners';
import type { Store } from '../store/api';

/** Runs of a batch that are named, and that are looked at for steps a person decides blind. */
const MOST_RUNS = 200;

/** A batch that the process which lists it asks for. */
interface AskedHere {
  /** Votes it is about, those that are there already included; null: not counted. */
  total: number | null;
  isStopping: boolean;
}

/** A batch as a window lists it. `isHeld`: a process works on it; `here`: this one; `isHidden`: what its votes say is withheld. */
export function batchView(
  batch: StoredBatch,
  { isHeld, here, isHidden }: { isHeld: boolean; here: AskedHere | null; isHidden: boolean },
): JudgeBatchView {
  const { id, at, choices, counts, end } = batch;
  const state = batchState(batch, isHeld);
  const { against, unparsable, knownCost: _, ...others } = counts;
  const why = end?.why === 'done' || end?.why === 'interrupted' ? null : (end?.why ?? null);
  const isRunning = state === 'running';
  // As it was counted at the beginning: runs may have gone on since.
  const counted = choices.total === undefined ? null : Math.max(choices.total, counts.votes);
  return {
    ...others,
    id,
    mode: choices.mode,
    isTrial: choices.mode === 'mask' && choices.isTrial === true,
    at,
    state,
    why,
    spent: why === 'cost' ? (end?.spent ?? null) : null,
    judge: choices.judge,
    endpoint: choices.model.endpoint,
    model: choices.model.model,
    runs: choices.runs.slice(0, MOST_RUNS),
    runCount: choices.runs.length,
    steps: choices.steps,
    failure: why === 'failed' ? failureOf(end?.failure ?? null) : null,
    isHere: here !== null,
    isStopping: here?.isStopping === true || (isRunning && batch.isStopping),
    total: here?.total ?? (isRunning ? counted : null),
    found: isHidden
      ? null
      : { masks: against, keeps: Math.max(0, counts.votes - against - unparsable), unparsable },
    maxCost: choices.maxCost,
    isPriced: choices.price !== null,
  };
}

/** Whether this person still has steps of the run to decide blind. */
export async function isRunHidden(
  reader: Pick<Store['reader'], 'withheld'>,
  run: string,
  viewer: Author,
): Promise<boolean> {
  return (await unlessRemoved(reader.withheld(run, viewer, 1, Number.MAX_SAFE_INTEGER))) !== null;
}

/** Ids of the batches of which this person may not know what the votes say. */
export async function hiddenBatches(
  reader: Pick<Store['reader'], 'withheld' | 'withheldRuns'>,
  viewer: Author,
  batches: readonly StoredBatch[],
): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  if ((await reader.withheldRuns(viewer)).length === 0) return hidden;
  const known = new Map<string, boolean>();
  for (const { id, choices } of batches) {
    // Of more than anybody looks through, nothing is said.
    if (choices.runs.length > MOST_RUNS) hidden.add(id);
    for (const run of choices.runs.slice(0, MOST_RUNS)) {
      const isHidden = known.get(run) ?? (await isRunHidden(reader, run, viewer));
      known.set(run, isHidden);
      if (isHidden) hidden.add(id);
    }
  }
  return hidden;
}

/** As it was stored, perhaps by another version. */
function failureOf(stored: { code: string; message: string } | null): Failure {
  if (stored === null) return { code: 'bug', message: 'The reason was not stored.' };
  return { code: isErrorCode(stored.code) ? stored.code : 'bug', message: stored.message };
}
