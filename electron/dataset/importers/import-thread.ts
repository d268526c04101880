import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Failure, WaymarkError } from '@shared/contract/errors';
import type { ImportProgress } from '@shared/contract/ipc/imports';
import { bundledWorkers } from '../../store/threads/client';
import type { LogHead, LogPart, LogReader, ReadOptions } from './read-log';

/** What the thread is started with. */
export interface ImportTask {
  path: string;
  options: ReadOptions;
}

/** What it says. A part comes for each time it is asked; null: there are no more. */
export type ImportWord =
  | { is: 'progress'; progress: ImportProgress }
  | { is: 'head'; head: LogHead }
  | { is: 'part'; part: LogPart | null }
  | { is: 'failure'; failure: Failure };

/**
 * Reads logs of other systems in a thread of its own: hundreds of megabytes are read, hashed, parsed and checked there, and come
 * over in parts as they are stored. Whoever aborts ends the thread, which holds no SQL.
 * @param workers folder of the bundled `import-worker.js`; by default where the running bundle lies
 */
export function readApart(workers?: string): LogReader {
  return async (path, options, tell, signal) => {
    const thread = new ReadingThread(workers ?? bundledWorkers(), { path, options }, tell, signal);
    try {
      return { head: await thread.head(), parts: thread.parts(), close: () => thread.close() };
    } catch (thrown) {
      await thread.close();
      throw thrown;
    }
  };
}

class ReadingThread {
  private readonly worker: Worker;
  /** Who waits for the next word. */
  private waiting: { resolve(word: ImportWord): void; reject(thrown: unknown): void } | null = null;
  private ended: unknown = null;

  constructor(
    workers: string,
    { path, options }: ImportTask,
    private readonly tell: (progress: ImportProgress) => void,
    private readonly signal?: AbortSignal,
  ) {
    signal?.throwIfAborted();
    const workerData: ImportTask = { path, options };
    this.worker = new Worker(join(workers, 'import-worker.js'), {
      workerData,
      execArgv: [],
      name: 'import',
    });
    this.worker.on('message', (word: ImportWord) => this.take(word));
    this.worker.on('error', (error: NodeJS.ErrnoException) => this.end(toldAs(error, path)));
    this.worker.on('exit', () => this.end(new WaymarkError('bug', 'The thread of an import has stopped.')));
    signal?.addEventListener('abort', this.stop, { once: true });
  }

  async head(): Promise<LogHead> {
    const word = await this.next();
    if (word.is !== 'head') throw new WaymarkError('bug', `The thread of an import began with ${word.is}.`);
    return word.head;
  }

  async *parts(): AsyncGenerator<LogPart, void, undefined> {
    for (;;) {
      const word = this.next();
      this.worker.postMessage('next');
      const said = await word;
      if (said.is !== 'part' || said.part === null) return;
      yield said.part;
    }
  }

  async close(): Promise<void> {
    this.signal?.removeEventListener('abort', this.stop);
    await this.worker.terminate();
  }

  private readonly stop = (): void => {
    this.end(this.signal?.reason);
    void this.worker.terminate();
  };

  /** @throws what the thread was refused with, or ended with */
  private next(): Promise<ImportWord> {
    if (this.ended !== null) return Promise.reject(this.ended);
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
    });
  }

  private take(word: ImportWord): void {
    if (word.is === 'progress') this.tell(word.progress);
    else if (word.is === 'failure') {
      const { code, message, detail } = word.failure;
      this.end(new WaymarkError(code, message, detail));
    } else {
      this.waiting?.resolve(word);
      this.waiting = null;
    }
  }

  private end(why: unknown): void {
    this.ended ??= why;
    this.waiting?.reject(this.ended);
    this.waiting = null;
  }
}

function toldAs(error: NodeJS.ErrnoException, path: string): WaymarkError {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new WaymarkError(
        'bad_input',
        `${basename(path)} needs more memory to read than is available. Nothing was imported. Import its trees one by one.`,
      )
    : new WaymarkError('bug', 'The thread of an import broke.', error.stack ?? error.message);
}
