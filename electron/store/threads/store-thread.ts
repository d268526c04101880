import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Failure, WaymarkError } from '@shared/contract/errors';
import type { StoreNotice } from '../notices';
import type { ThreadCall, ThreadData, ThreadMessage } from './thread-protocol';

interface Pending {
  resolve(value: unknown): void;
  reject(thrown: unknown): void;
}

/**
 * Of threads that live as long as the workspace is open. V8 lets the young part of a heap grow with what survives to 48 MB and gives
 * nothing back: over 30 hours the three took 8 to 14 MB more than with this (P18). Answers of the reading one are the largest.
 */
const youngMb = (role: ThreadData['role']) => (role === 'read' ? 24 : 12);

/** One worker thread of the store, seen from outside: numbered calls and notices. */
export class StoreThread {
  private readonly pending = new Map<number, Pending>();
  private worker: Worker | null = null;
  /** What is to be said to the thread once it has begun. */
  private readonly early: ThreadCall[] = [];
  private last = 0;
  private ended: WaymarkError | null = null;
  /** Why it did not open. */
  private refusal: WaymarkError | null = null;
  private notify: (notice: StoreNotice) => void = () => undefined;

  private readonly lives: boolean;

  /**
   * Loads the thread's code; it opens nothing before `open`. `waits`: not before `begin`, or the first call. `lives`: false lets
   * whoever started it end before it.
   */
  constructor(
    private readonly path: string,
    private readonly role: ThreadData['role'],
    { waits = false, lives = true }: { waits?: boolean; lives?: boolean } = {},
  ) {
    this.lives = lives;
    if (!waits) this.begin();
  }

  /** Lets a thread that waits begin; does nothing when it has. */
  begin(): Worker {
    if (this.worker !== null) return this.worker;
    const worker = new Worker(this.path, {
      execArgv: [],
      name: `store-${this.role}`,
      ...(this.lives ? { resourceLimits: { maxYoungGenerationSizeMb: youngMb(this.role) } } : {}),
    });
    worker.on('error', (error) => this.end(error.stack ?? error.message));
    worker.on('exit', () => this.end('The thread has ended.'));
    worker.on('message', (messages: ThreadMessage[]) => {
      for (const message of messages) this.receive(message);
    });
    if (!this.lives) worker.unref();
    this.worker = worker;
    for (const call of this.early.splice(0)) worker.postMessage(call);
    return worker;
  }

  get hasBegun(): boolean {
    return this.worker !== null;
  }

  /** Once, before any call. Resolves when the thread has opened its connection; rejects with what it was refused for. */
  open(data: Omit<ThreadData, 'role'>, notify: (notice: StoreNotice) => void): Promise<void> {
    this.notify = notify;
    return this.send('open', [{ ...data, role: this.role } satisfies ThreadData], 0);
  }

  call<T>(method: string, args: readonly unknown[]): Promise<T> {
    this.begin();
    this.last += 1;
    return this.send(method, args, this.last);
  }

  private send<T>(method: string, args: readonly unknown[], id: number): Promise<T> {
    if (this.ended !== null) {
      return Promise.reject(this.ended);
    }
    const call: ThreadCall = { id, method, args: [...args] };
    return new Promise<T>((resolve, reject) => {
      this.pending.set(id, { resolve: (value) => resolve(value as T), reject });
      if (this.worker === null) this.early.push(call);
      else this.worker.postMessage(call);
    });
  }

  /** Closes the connection and waits until the thread is gone. */
  async close(): Promise<void> {
    const gone = once(this.begin(), 'exit');
    await this.call('close', []);
    await gone;
  }

  private receive(message: ThreadMessage): void {
    switch (message.type) {
      case 'ready':
        this.settle(0, (pending) => pending.resolve(undefined));
        return;
      case 'refused': {
        const refusal = revive(message.failure);
        // Whoever has asked more meanwhile, or asks later, is told the same.
        this.refusal = refusal;
        this.settle(0, (pending) => pending.reject(refusal));
        return;
      }
      case 'result':
        this.settle(message.id, (pending) => pending.resolve(message.value));
        return;
      case 'failure':
        this.settle(message.id, (pending) => pending.reject(revive(message.failure)));
        return;
      case 'notice':
        this.notify(message.notice);
        return;
    }
  }

  private settle(id: number, how: (pending: Pending) => void): void {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    if (pending !== undefined) {
      how(pending);
    }
  }

  private end(why: string): void {
    this.ended ??=
      this.refusal ?? new WaymarkError('bug', `The store's ${this.role} thread has stopped.`, why);
    for (const pending of this.pending.values()) {
      pending.reject(this.ended);
    }
    this.pending.clear();
  }
}

function revive({ code, message, detail, words }: Failure): WaymarkError {
  return new WaymarkError(code, message, detail, { words });
}

/** The threads of one store: one writes, two read. Loaded before the window is opened: this imports no table of reads. */
export interface StoreThreads {
  write: StoreThread;
  read: StoreThread;
  index: StoreThread;
}

/**
 * Starts them in the folder of the bundled entries, all at once: loading their code takes longer than opening a file.
 * `writerFirst`: the two others begin when they are told to, or with the first question that is theirs.
 */
export function startThreads(workers: string, { writerFirst = false } = {}): StoreThreads {
  const waits = { waits: writerFirst };
  return {
    write: new StoreThread(join(workers, 'writer-worker.js'), 'write'),
    read: new StoreThread(join(workers, 'reader-worker.js'), 'read', waits),
    index: new StoreThread(join(workers, 'reader-worker.js'), 'index', waits),
  };
}
