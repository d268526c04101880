import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Failure, WaymarkError } from '@shared/contract/errors';
import type { TokenizerView, TokenView } from '@shared/contract/export-views';
import { SerialQueue } from '../../base/serial-queue';
import { bundledWorkers } from '../../store/threads/client';
import type { TokenOptions, TokenRow } from './conversation';

/** What the thread is asked. A tokenizer that was loaded before is not read again unless its files changed. */
export type TokenQuestion =
  | { is: 'tokenizer'; folder: string }
  | { is: 'view'; folder: string; row: TokenRow; options: TokenOptions };

/** What it says. `begun`: the tokenizer is there, and the row is next. */
export type TokenWord =
  | { is: 'begun' }
  | { is: 'tokenizer'; tokenizer: TokenizerView }
  | { is: 'view'; view: TokenView }
  | { is: 'failure'; failure: Failure };

export interface TokenLimits {
  /** To read a tokenizer, ms. */
  loadMs: number;
  /** To render a row and count its tokens, ms. */
  viewMs: number;
  /** Of the thread, MB. */
  memoryMb: number;
  /** Without a question, after which its memory is freed, ms. */
  idleMs: number;
}

/** gpt-oss, the largest vocabulary in use, takes 2 s and 600 MB; on a machine that works for others too it took 30 s. */
export const tokenLimits: TokenLimits = { loadMs: 120_000, viewMs: 30_000, memoryMb: 1_536, idleMs: 300_000 };

/**
 * A thread that renders rows with a template from elsewhere. The template may loop for ever or grow without end: the thread has a
 * limit of time and one of memory, and is ended at either. One question at a time; it begins with the first.
 */
export class TokenThread {
  private readonly queue = new SerialQueue();
  private worker: Worker | null = null;
  private idle: NodeJS.Timeout | null = null;

  /** @param workers folder of the bundled `token-worker.js`; by default where the running bundle lies */
  constructor(
    private readonly limits: TokenLimits = tokenLimits,
    private readonly workers?: string,
  ) {}

  /** @throws WaymarkError not_found, bad_input, unsupported; timed_out */
  async tokenizer(folder: string, signal?: AbortSignal): Promise<TokenizerView> {
    const word = await this.ask({ is: 'tokenizer', folder: await whole(folder) }, signal);
    if (word.is === 'tokenizer') return word.tokenizer;
    throw new WaymarkError('bug', `The thread of tokens answered with ${word.is}.`);
  }

  /** @throws WaymarkError as `tokenizer`; refused, unsupported: about the row */
  async view(folder: string, row: TokenRow, options: TokenOptions, signal?: AbortSignal): Promise<TokenView> {
    const word = await this.ask({ is: 'view', folder: await whole(folder), row, options }, signal);
    if (word.is === 'view') return word.view;
    throw new WaymarkError('bug', `The thread of tokens answered with ${word.is}.`);
  }

  /** Ends the thread and what it does; the next question begins another. */
  async close(): Promise<void> {
    if (this.idle !== null) clearTimeout(this.idle);
    const worker = this.worker;
    this.worker = null;
    await worker?.terminate();
  }

  private ask(question: TokenQuestion, signal?: AbortSignal): Promise<TokenWord> {
    return this.queue.run(async () => {
      signal?.throwIfAborted();
      if (this.idle !== null) clearTimeout(this.idle);
      try {
        return await this.answer(question, signal);
      } finally {
        this.idle = setTimeout(() => void this.close(), this.limits.idleMs).unref();
      }
    });
  }

  private answer(question: TokenQuestion, signal?: AbortSignal): Promise<TokenWord> {
    const worker = this.begun();
    return new Promise((resolve, reject) => {
      let watch = setTimeout(() => giveUp(tooLong('reading')), this.limits.loadMs);
      const settle = () => {
        clearTimeout(watch);
        signal?.removeEventListener('abort', abort);
        worker.off('message', heard).off('error', failed).off('exit', gone);
      };
      /** What it did is lost with it: the next question begins another. */
      const giveUp = (why: unknown) => {
        settle();
        if (this.worker === worker) this.worker = null;
        worker.on('error', () => undefined);
        void worker.terminate();
        reject(why);
      };
      const heard = (word: TokenWord) => {
        if (word.is === 'begun') {
          clearTimeout(watch);
          watch = setTimeout(() => giveUp(tooLong('rendering')), this.limits.viewMs);
          return;
        }
        settle();
        if (word.is !== 'failure') resolve(word);
        else reject(new WaymarkError(word.failure.code, word.failure.message, word.failure.detail));
      };
      const failed = (error: NodeJS.ErrnoException) => giveUp(brokenBy(error, this.limits));
      const gone = () => giveUp(new WaymarkError('bug', 'The thread of tokens has stopped.'));
      const abort = () => giveUp(signal?.reason);
      worker.on('message', heard).on('error', failed).on('exit', gone);
      signal?.addEventListener('abort', abort, { once: true });
      worker.postMessage(question);
    });
  }

  private begun(): Worker {
    if (this.worker !== null) return this.worker;
    const worker = new Worker(join(this.workers ?? bundledWorkers(), 'token-worker.js'), {
      execArgv: [],
      name: 'tokens',
      resourceLimits: { maxOldGenerationSizeMb: this.limits.memoryMb, stackSizeMb: 4 },
    });
    worker.unref();
    this.worker = worker;
    return worker;
  }
}

/** @throws WaymarkError not_found */
async function whole(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch {
    throw new WaymarkError(
      'not_found',
      `There is no folder ${folder}. Choose the folder of a tokenizer again.`,
    );
  }
}

function tooLong(what: 'reading' | 'rendering'): WaymarkError {
  return new WaymarkError(
    'timed_out',
    what === 'reading'
      ? 'The tokenizer took too long to read, and reading was stopped. Choose another folder.'
      : 'The chat template took too long on this row, and rendering was stopped. It may never end; check the template or choose another.',
  );
}

function brokenBy(error: NodeJS.ErrnoException, { memoryMb }: TokenLimits): WaymarkError {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new WaymarkError(
        'refused',
        `The tokenizer and its template need more than ${memoryMb} MB for this row, and rendering was stopped. Check the template, or choose another folder.`,
      )
    : new WaymarkError('bug', 'The thread of tokens broke.', error.stack ?? error.message);
}
