import { WaymarkError } from '@shared/contract/errors';
import type { BatchChoices, BatchEnd, StoredBatch } from '@shared/judging/batch';
import { costOf, type Price } from '../model/client';
import type { Store } from '../store/api';
import type { HeldBatch } from '../store/log/judge-batches';
import { type BatchOptions, runBatch } from './judge-batch';
import type { JudgeTask } from './judge-task';
import { judgeTasks } from './judge-work';
import { adoptEnded } from './kept-rubric';
import { rewardTasks } from './reward-work';
import { staleVotes } from './stale-votes';
import { watchStop } from './stop-watch';

export interface DriveOptions
  extends Pick<BatchOptions, 'model' | 'together' | 'tries' | 'firstPauseMs' | 'signal' | 'stopping'> {
  /** Of the endpoint, as this installation knows it now. */
  price: Price | null;
  /** The process ends: a batch that this cuts short is left without an end, and so is `interrupted`. */
  isLeaving?: (() => boolean) | undefined;
  /** Why it ended could not be written down, as on a full disk. */
  onUnstored?: ((end: BatchEnd) => void) | undefined;
}

/** What a batch has still to ask, by its choices. */
export function tasksOf(store: Pick<Store, 'reader'>, choices: BatchChoices): AsyncGenerator<JudgeTask> {
  const { judge: name, model, runs, steps } = choices;
  const isStale = staleVotes(store);
  if (choices.mode === 'mask') {
    const { rubrics, isTrial } = choices;
    return judgeTasks(store, runs, { name, model, rubrics, isTrial }, steps, isStale);
  }
  const { rubric, votes, future } = choices;
  return rewardTasks(store, runs, { name, model, rubric, votes, future }, steps, isStale);
}

/** Answers that came while no price was known count at the price that is known now, so that a limit on money holds for all of them. */
function spentSoFar({ counts, unpriced }: StoredBatch, price: Price | null): number {
  return counts.knownCost + (costOf({ ...unpriced, cachedTokens: 0, reasoningTokens: 0 }, price) ?? 0);
}

/** Room for what all requests under way may bring, in the log and in its journal. An answer that cannot be stored is paid for in vain. */
const ROOM_FOR_ANSWERS = 4 * 1024 ** 2;

/** @throws WaymarkError disk_full */
function refuseWithoutRoom(store: Pick<Store, 'folder' | 'freeBytes'>): void {
  const free = store.freeBytes();
  if (free >= ROOM_FOR_ANSWERS) return;
  throw new WaymarkError(
    'disk_full',
    `The disk that holds the workspace ${store.folder} has ${Math.floor(free / 1024)} KB left, too little to store what a judge answers, so nothing more was sent. Free some space and continue.`,
  );
}

/**
 * Works on a batch that was begun or taken up under the judge's lock, until it is done or has to end, and writes down which. It ends
 * `cancelled` as well where another process asks for it (`stopBatch`). A process that is killed leaves it without an end: it is
 * `interrupted`, and `judge resume` goes on from there.
 */
export async function driveBatch(
  store: Pick<Store, 'reader' | 'writer' | 'subscribe' | 'folder' | 'freeBytes'>,
  held: HeldBatch,
  { price, isLeaving, onUnstored, ...options }: DriveOptions,
): Promise<StoredBatch> {
  const begun = await store.reader.judgeBatch(held.id);
  const { choices, at: begunAt } = begun;
  // Both runtimes have to do: `AbortSignal.any` came with Node 20.
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const unwatch = watchStop(store, held, stop);
  options.stopping?.addEventListener('abort', stop, { once: true });
  if (options.stopping?.aborted === true) stop();
  const { ended, missing } = await runBatch(store, tasksOf(store, choices), {
    ...options,
    stopping: stopping.signal,
    judge: choices.judge,
    isTrial: choices.mode === 'mask' && choices.isTrial === true,
    batch: held,
    price,
    maxCost: choices.maxCost,
    spent: spentSoFar(begun, price),
    refuseWithoutRoom: () => refuseWithoutRoom(store),
  }).finally(unwatch);
  if (choices.mode === 'mask' && choices.isTrial === true)
    await adoptEnded(store, { runs: choices.runs, rubric: choices.rubrics.steps.version, begunAt });
  const failure = ended?.why === 'failed' ? ended.failure : null;
  const kept = failure && { code: failure.code, message: failure.message.slice(0, 10_000) };
  const end = { why: ended?.why ?? 'done', failure: kept, missing } as const;
  const batch = await store.reader.judgeBatch(held.id);
  if (end.why === 'cancelled' && isLeaving?.() === true) return batch;
  const told = { ...end, at: Date.now() };
  try {
    await store.writer.endBatch(held, end);
  } catch (thrown) {
    // A disk that takes no votes takes no end either; why it ended is told all the same.
    if (failure === null) throw thrown;
    onUnstored?.(told);
  }
  return {
    ...batch,
    end: told,
    counts: { ...batch.counts, missing },
  };
}
