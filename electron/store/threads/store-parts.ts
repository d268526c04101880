import type { WaymarkError } from '@shared/contract/errors';
import { judgeLockPath, runLockPath } from '../../files/workspace-paths';
import type { Store, StoreReader, StoreWriter } from '../api';
import { knownFreeBytes } from '../file/disk-guard';
import { fromElsewhere, type RefusedAct } from '../file/read-only';
import { openForReading } from '../file/workspace-file';
import { deleteLock, type HeldLock, holdLock, isLockHeld } from '../log/run-lock';
import { noRun } from '../log/run-log';
import type { StoreNotice } from '../notices';

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
    private readonly end: {
      readOnly: boolean;
      /** Why it is; by default because it came from elsewhere. */
      refusal?(act: RefusedAct): WaymarkError;
      drainWrites(): Promise<void>;
      drainIndex(): Promise<void>;
      close(): Promise<void>;
    },
  ) {}

  get isReadOnly(): boolean {
    return this.end.readOnly;
  }

  lockRun(run: string, isNew = false): { epoch: number; release(): void } | null {
    const path = runLockPath(this.folder, run);
    if (this.isReadOnly) {
      throw this.end.refusal?.('driving') ?? fromElsewhere(this.folder, 'driving');
    }
    const last = this.lastEpoch(run);
    // Nothing is made for a run that is not here: who asks may have made its name up.
    if (last === null && !isNew) throw noRun(run);
    const held = holdLock(path, last ?? 0);
    if (held === null) {
      return null;
    }
    this.locks.add(held);
    const release = () => {
      if (this.locks.delete(held)) {
        const cameToNothing = isNew && this.isMissing(run);
        held.release();
        if (cameToNothing) deleteLock(this.folder, run);
      }
    };
    return { epoch: held.epoch, release };
  }

  lockJudge(judge: string): { epoch: number; release(): void } | null {
    if (this.isReadOnly) {
      throw this.end.refusal?.('labelling') ?? fromElsewhere(this.folder, 'labelling');
    }
    const held = holdLock(judgeLockPath(this.folder, judge));
    if (held === null) return null;
    this.locks.add(held);
    return {
      epoch: held.epoch,
      release: () => {
        if (this.locks.delete(held)) held.release();
      },
    };
  }

  isAsked(judge: string): boolean {
    return isLockHeld(judgeLockPath(this.folder, judge));
  }

  freeBytes(): number | null {
    return knownFreeBytes(this.folder);
  }

  isDriven(run: string): boolean {
    return isLockHeld(runLockPath(this.folder, run));
  }

  subscribe(listener: (notice: StoreNotice) => void): () => void {
    return this.notices.subscribe(listener);
  }

  drainWrites(): Promise<void> {
    return this.end.drainWrites();
  }

  async drain(): Promise<void> {
    await this.end.drainWrites();
    await this.end.drainIndex();
  }

  async close(): Promise<void> {
    await this.end.close();
    for (const lock of this.locks) {
      lock.release();
    }
    this.locks.clear();
  }

  /** False also where the log cannot be asked: the lock's file is then left. */
  private isMissing(run: string): boolean {
    try {
      return this.lastEpoch(run) === null;
    } catch {
      return false;
    }
  }

  /** A lock file may have been lost; the log remembers which epochs wrote. One row by key; null: no such run. */
  private lastEpoch(run: string): number | null {
    const db = openForReading(this.folder);
    try {
      const row = db
        .prepare('SELECT h.epoch FROM run_head h JOIN run r ON r.id = h.run WHERE r.ulid = ?')
        .get(run) as { epoch: number } | undefined;
      return row?.epoch ?? null;
    } finally {
      db.close();
    }
  }
}

/** Where nobody keeps a log, the process hears of it as of any bug, after what is under way is done. */
/** The process hears of it as of any bug. */
export function thrownLater(thrown: unknown): void {
  setImmediate(() => {
    throw thrown;
  });
}
