import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Failure, WaymarkError } from '@shared/contract/errors';
import { bundledWorkers } from '../../store/threads/client';
import type { ExportDone, ExportProgress, ExportRunner, ExportTask, RunningExport } from './export-runner';

/**
 * Room for about a million and a half steps. On a large machine V8 lets a heap without a bound grow to four times what is in use
 * before it cleans up; with this one, to less than twice.
 */
export const heapLimit = { maxOldGenerationSizeMb: 1_280 };

/** What the thread is started with. */
export interface ExportThreadData {
  work: { is: 'export'; task: ExportTask } | { is: 'findings' };
  /** Electron's resources folder, which its worker threads do not know. */
  resourcesPath: string | null;
}

export function workDataOf(work: ExportThreadData['work']): ExportThreadData {
  return { work, resourcesPath: (process as { resourcesPath?: string }).resourcesPath ?? null };
}

/** What it is told. */
export type ExportOrder = 'pause' | 'resume' | 'cancel' | 'stop';

/** What it says; `done` and `failure` are the last. */
export type ExportWord =
  | { is: 'progress'; progress: ExportProgress }
  | { is: 'done'; done: ExportDone }
  | { is: 'failure'; failure: Failure };

/**
 * Exports in a thread of its own, which opens the workspace itself to read it: events do not go from thread to thread. It is ended
 * by message, never terminated, because it runs SQL.
 * @param workers folder of the bundled `export-worker.js`; by default where the running bundle lies
 */
export function exportApart(workers?: string): ExportRunner {
  return (task, tell) => new ExportingThread(workers ?? bundledWorkers(), task, tell);
}

class ExportingThread implements RunningExport {
  readonly done: Promise<ExportDone>;
  private readonly worker: Worker;

  constructor(workers: string, task: ExportTask, tell: (progress: ExportProgress) => void) {
    this.worker = new Worker(join(workers, 'export-worker.js'), {
      workerData: workDataOf({ is: 'export', task }),
      execArgv: [],
      name: 'export',
      resourceLimits: heapLimit,
    });
    this.done = new Promise<ExportDone>((resolve, reject) => {
      this.worker.on('message', (word: ExportWord) => {
        if (word.is === 'progress') tell(word.progress);
        else if (word.is === 'done') resolve(word.done);
        else reject(new WaymarkError(word.failure.code, word.failure.message, word.failure.detail));
      });
      this.worker.on('error', (error: NodeJS.ErrnoException) => reject(toldAs(error, task.out)));
      this.worker.on('exit', () =>
        reject(new WaymarkError('bug', `The thread of the export to ${task.out} has stopped.`)),
      );
    });
  }

  pause(): void {
    this.order('pause');
  }

  resume(): void {
    this.order('resume');
  }

  cancel(): void {
    this.order('cancel');
  }

  stop(): void {
    this.order('stop');
  }

  private order(order: ExportOrder): void {
    this.worker.postMessage(order);
  }
}

function toldAs(error: NodeJS.ErrnoException, out: string): WaymarkError {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new WaymarkError(
        'bad_input',
        `The export to ${out} needs more memory than is available. Nothing was written. Export fewer runs at once.`,
      )
    : new WaymarkError('bug', `The thread of the export to ${out} broke.`, error.stack ?? error.message);
}
