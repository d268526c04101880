import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Failure, WaymarkError } from '@shared/contract/errors';
import type { RedactionView } from '@shared/contract/export-views';
import { bundledWorkers } from '../../store/threads/client';
import type { FindingsRunner, FindingsTask } from './export-runner';
import { heapLimit, workDataOf } from './export-thread';

/** What a thread is told: a search, to give up the one under way, or to end. */
export type FindingsOrder = FindingsTask | 'cancel' | 'end';
/** What it says, once for each search. */
export type FindingsWord = { view: RedactionView } | { failure: Failure };

/** A thread that nobody asks is ended after so long, ms. */
const RESTING_MS = 30_000;

/**
 * Looks for secrets in threads of their own: a row may be megabytes, and whoever asks has terminals to show. A thread does one search
 * at a time and then waits for the next. It runs SQL, so it is asked to end and never terminated.
 */
export class FindingsThreads {
  private readonly working = new Map<Worker, Promise<RedactionView>>();
  private readonly resting = new Map<Worker, NodeJS.Timeout>();

  /** @param workers folder of the bundled `export-worker.js`; by default where the running bundle lies */
  constructor(private readonly workers?: string) {}

  readonly run: FindingsRunner = async (task, signal) => {
    const worker = this.rested() ?? this.begun();
    const cancel = () => tell(worker, 'cancel');
    signal.addEventListener('abort', cancel, { once: true });
    const search = searched(worker, task);
    this.working.set(worker, search);
    try {
      return await search;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.working.delete(worker);
      this.rest(worker);
    }
  };

  /** Gives up what is under way and ends every thread. */
  async close(): Promise<void> {
    const searches = [...this.working.values()];
    for (const worker of this.working.keys()) tell(worker, 'cancel');
    await Promise.allSettled(searches);
    const threads = [...this.resting.keys()];
    const ended = threads.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of threads) this.end(worker);
    await Promise.all(ended);
  }

  private begun(): Worker {
    const worker = new Worker(join(this.workers ?? bundledWorkers(), 'export-worker.js'), {
      workerData: workDataOf({ is: 'findings' }),
      execArgv: [],
      name: 'findings',
      resourceLimits: heapLimit,
    });
    // Whoever waits for a search is told; one that breaks while it rests is gone, and missed by nobody.
    worker.on('error', () => undefined);
    return worker;
  }

  private rested(): Worker | null {
    const [first] = this.resting;
    if (first === undefined) return null;
    const [worker, timer] = first;
    clearTimeout(timer);
    this.resting.delete(worker);
    worker.ref();
    return worker;
  }

  /** One that broke has no thread any more. */
  private rest(worker: Worker): void {
    if (worker.threadId === -1) return;
    worker.once('exit', () => this.resting.delete(worker));
    worker.unref();
    this.resting.set(worker, setTimeout(() => this.end(worker), RESTING_MS).unref());
  }

  private end(worker: Worker): void {
    clearTimeout(this.resting.get(worker));
    this.resting.delete(worker);
    tell(worker, 'end');
  }
}

function tell(worker: Worker, order: FindingsOrder): void {
  worker.postMessage(order);
}

function searched(worker: Worker, task: FindingsTask): Promise<RedactionView> {
  return new Promise<RedactionView>((resolve, reject) => {
    const heard = (word: FindingsWord) => {
      settle();
      if ('view' in word) resolve(word.view);
      else reject(new WaymarkError(word.failure.code, word.failure.message, word.failure.detail));
    };
    const failed = (error: NodeJS.ErrnoException) => {
      settle();
      reject(toldAs(error));
    };
    const gone = () => {
      settle();
      reject(new WaymarkError('bug', 'The thread of the search for secrets has stopped.'));
    };
    const settle = () => worker.off('message', heard).off('error', failed).off('exit', gone);
    worker.on('message', heard).on('error', failed).on('exit', gone);
    tell(worker, task);
  });
}

function toldAs(error: NodeJS.ErrnoException): WaymarkError {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new WaymarkError(
        'bad_input',
        'The search for secrets needs more memory than is available. Choose fewer runs at once.',
      )
    : new WaymarkError('bug', 'The thread of the search for secrets broke.', error.stack ?? error.message);
}
