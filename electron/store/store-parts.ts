import type { Store, StoreNotice, StoreReader, StoreWriter } from './api';
import { type HeldLock, holdLock, isLockHeld, runLockPath } from './run-lock';
import { openForReading } from './workspace-file';

/** Listeners for notices, in the order they came. One that throws is a bug: it is reported, and nothing else stops for it. */
export class Notices {
  private readonly listeners = new Set<(notice: StoreNotice) => void>();
  /** By run; who comes later hears of them as well. */
  private readonly unreadable = new Map<string, StoreNotice>();

  constructor(private readonly failed: (thrown: unknown) => void = thrownLater) {}

  readonly publish = (notice: StoreNotice): void => {
    if (notice.kind === 'unreadable') {
      // Several threads come across the same run.
      if (this.unreadable.has(notice.run)) return;
      this.unreadable.set(notice.run, notice);
    }
    for (const listener of [...this.listeners]) {
      this.tell(listener, notice);
    }
  };

  private tell(listener: (notice: StoreNotice) => void, notice: StoreNotice): void {
    try {
      listener(notice);
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  subscribe(listener: (notice: StoreNotice) => void): () => void {
    this.listeners.add(listener);
    const known = [...this.unreadable.values()];
    queueMicrotask(() => {
      if (this.listeners.has(listener)) for (const notice of known) this.tell(listener, notice);
    });
    return () => this.listeners.delete(listener);
  }
}

/** The store as the engine sees it, whether its cores live in threads or here. */
export class AssembledStore implements Store {
  private readonly locks = new Set<HeldLock>();

  constructor(
    readonly folder: string,
    readonly writer: StoreWriter,
    readonly reader: StoreReader,
    private readonly notices: Notices,
    private readonly end: { drain(): Promise<void>; close(): Promise<void> },
  ) {}

  lockRun(run: string): { epoch: number; release(): void } | null {
    const held = holdLock(runLockPath(this.folder, run), this.lastEpoch(run));
    if (held === null) {
      return null;
    }
    this.locks.add(held);
    const release = () => {
      if (this.locks.delete(held)) {
        held.release();
      }
    };
    return { epoch: held.epoch, release };
  }

  isDriven(run: string): boolean {
    return isLockHeld(runLockPath(this.folder, run));
  }

  subscribe(listener: (notice: StoreNotice) => void): () => void {
    return this.notices.subscribe(listener);
  }

  drain(): Promise<void> {
    return this.end.drain();
  }

  async close(): Promise<void> {
    await this.end.close();
    for (const lock of this.locks) {
      lock.release();
    }
    this.locks.clear();
  }

  /** A lock file may have been lost; the log remembers which epochs wrote. One row by key. */
  private lastEpoch(run: string): number {
    const db = openForReading(this.folder);
    try {
      const row = db
        .prepare('SELECT h.epoch FROM run_head h JOIN run r ON r.id = h.run WHERE r.ulid = ?')
        .get(run) as { epoch: number } | undefined;
      return row?.epoch ?? 0;
    } finally {
      db.close();
    }
  }
}

/** Where nobody keeps a log, the process hears of it as of any bug, after what is under way is done. */
function thrownLater(thrown: unknown): void {
  setImmediate(() => {
    throw thrown;
  });
}
