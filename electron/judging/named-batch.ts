import { WaymarkError } from '@shared/contract/errors';
import type { BatchChoices, BatchEnd, StoredBatch } from '@shared/judging/batch';
import { mostCostOf, type Price } from '../model/client';
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
  return counts.knownCost + (price === null ? 0 : mostCostOf(unpriced, price));
}

/** Room for what all requests under way may bring, in the log and in its journal. An answer that cannot be stored is paid for in vain. */
const ROOM_FOR_ANSWERS = 4 * 1024 ** 2;

/** Says before a request whether its answer could be stored: the disk has room, and the store has not begun to refuse work. */
function watchRoom(store: Pick<Store, 'folder' | 'freeBytes' | 'subscribe'>) {
  let isFull = false;
  const unsubscribe = store.subscribe((notice) => {
    if (notice.kind === 'problem' && notice.code === 'disk_full') isFull = true;
    if (notice.kind === 'problem_solved' && notice.code === 'disk_full') isFull = false;
  });
  return {
    unsubscribe,
    /** @throws WaymarkError disk_full */
    refuse(): void {
      // What cannot be told is left to the store.
      const free = store.freeBytes() ?? Number.POSITIVE_INFINITY;
      if (!isFull && free >= ROOM_FOR_ANSWERS) return;
      throw new WaymarkError(
        'disk_full',
        `The disk that holds the workspace ${store.folder} has too little room to store what a judge answers, so nothing more was sent. Free some space and continue.`,
      );
    },
  };
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
  const room = watchRoom(store);
  options.stopping?.addEventListener('abort', stop, { once: true });
  if (options.stopping?.aborted === true) stop();
  const { ended, missing, spent } = await runBatch(store, tasksOf(store, choices), {
    ...options,
    stopping: stopping.signal,
    judge: choices.judge,
    isTrial: choices.mode === 'mask' && choices.isTrial === true,
    batch: held,
    price,
    maxCost: choices.maxCost,
    spent: spentSoFar(begun, price),
    refuseWithoutRoom: room.refuse,
  }).finally(() => {
    unwatch();
    room.unsubscribe();
  });
  const failure = ended?.why === 'failed' ? ended.failure : null;
  try {
    if (choices.mode === 'mask' && choices.isTrial === true)
      await adoptEnded(store, { runs: choices.runs, rubric: choices.rubrics.steps.version, begunAt });
  } catch (thrown) {
    // What ended the batch, such as a full disk, may forbid this too: whoever continues it or saves the text takes the verdicts over.
    if (failure === null || !(thrown instanceof WaymarkError)) throw thrown;
  }
  const kept = failure && { code: failure.code, message: failure.message.slice(0, 10_000) };
  const why = ended?.why ?? 'done';
  const end: Omit<BatchEnd, 'at'> = {
    why,
    failure: kept,
    missing,
    ...(why === 'cost' ? { spent } : {}),
  };
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
