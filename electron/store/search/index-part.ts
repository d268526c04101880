import { statSync } from 'node:fs';
import { WaymarkError } from '@shared/contract/errors';
import type { IndexProgress } from '@shared/contract/search/views';
import { workLockPath } from '../../files/workspace-paths';
import { createBackup } from '../file/backup';
import { CHECKPOINT_BYTES, storeFailure } from '../file/database';
import { freeBytes } from '../file/disk-guard';
import { readMeta, workspaceFile } from '../file/workspace-file';
import { type HeldLock, holdLock } from '../log/run-lock';
import type { StoreNotice } from '../notices';
import type { StepProjector } from '../projections/step-projector';
import type { IndexReads } from '../queries/query';
import { openReadContext } from '../queries/read-context';
import { RulePreviewer } from '../queries/rule-preview';
import { entriesMark, newestBackup } from '../restore/newest-backup';
import { verifyWorkspace } from '../verify/verify';
import { SearchIndex } from './search-index';
import { SearchPart } from './search-part';
import { type SessionHits, type SessionSearch, searchSessions } from './search-sessions';

/** How often new commits are looked for, ms; well inside the two seconds that search may lag. */
const POLL_MS = 200;
/** How often a process without the indexer lock asks for it, ms. */
const LOCK_MS = 1000;
/** Pause between two copies of the write-ahead log into the main file, ms. */
const CHECKPOINT_MS = 500;
/** A copy of hints and labels follows each change by at most this, ms. */
const BACKUP_MS = 15 * 60_000;
/** How often the window hears how far the index is, ms. */
const PROGRESS_MS = 500;
/** With less free room than this the index never lets steps gather, bytes. */
const PLENTY_BYTES = 256 * 1024 * 1024;

export interface IndexPartOptions {
  now: () => number;
  projector: StepProjector;
  notify(notice: StoreNotice): void;
  /** Folder of the bundled worker entries, for the pattern's thread; null where there is none. */
  workers: string | null;
  backupEveryMs?: number;
}

/**
 * Search, verification and backups: everything that may take long, on connections of its own. The process that
 * holds the indexer lock also fills the index and makes the regular backups.
 */
export class IndexPart {
  private readonly context;
  private readonly index: SearchIndex;
  private readonly part: SearchPart;
  private readonly previewer: RulePreviewer;
  private lock: HeldLock | null = null;
  private askedForLock = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private waiting: (() => void)[] = [];
  private checkpointed = Number.NEGATIVE_INFINITY;
  private closed = false;
  private failed = false;
  private sessionSearch = 0;
  private told = { at: Number.NEGATIVE_INFINITY, behind: 0 };
  private saved: { mark: string; at: number };
  /** How far the logs of what people said reached when they were opened. */
  private readonly met: string;

  constructor(
    private readonly folder: string,
    private readonly options: IndexPartOptions,
  ) {
    this.context = openReadContext(folder, options.now);
    try {
      this.index = new SearchIndex(
        this.context,
        readMeta(this.context.statements.db, 'workspace') ?? '',
        (notice) => options.notify(notice),
      );
      this.part = new SearchPart(this.context, this.index, { workers: options.workers });
      this.met = entriesMark(this.context.statements);
      // What an earlier process said and nobody copied is due as well.
      this.saved = { mark: newestBackup(folder).mark, at: performance.now() };
    } catch (thrown) {
      this.context.statements.db.close();
      throw thrown;
    }
    this.previewer = new RulePreviewer(this.context, options.projector);
    this.schedule(0);
  }

  /** What the store's reads of this thread are answered from. */
  get reads(): IndexReads {
    return {
      folder: this.folder,
      search: this.part,
      rules: this.previewer,
      progress: () => this.index.progress(),
      searchSessions: (search) => this.searchSessions(search),
      verify: (runs, depth) => verifyWorkspace(this.folder, this.options.projector, runs, depth),
    };
  }

  private searchSessions(search: SessionSearch): Promise<SessionHits> {
    this.sessionSearch += 1;
    const mine = this.sessionSearch;
    const goOn = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return !this.closed && mine === this.sessionSearch;
    };
    return searchSessions(this.context, search, goOn);
  }

  readonly rebuildSearch = async (): Promise<void> => {
    this.askedForLock = Number.NEGATIVE_INFINITY;
    this.holdLock();
    if (this.lock === null) {
      throw new WaymarkError(
        'conflict',
        'Another process keeps the search index of this workspace. Close the application, then try again.',
      );
    }
    this.index.startOver();
    this.failed = false;
    this.schedule(0);
  };

  readonly backup = async (): Promise<string> => {
    try {
      const mark = entriesMark(this.context.statements);
      const path = createBackup(this.context.statements, this.folder, this.options.now());
      this.saved = { mark, at: performance.now() };
      return path;
    } catch (thrown) {
      throw storeFailure(thrown, `the backups of ${this.folder}`, this.folder);
    }
  };

  /** Resolves when the index has caught up, by whichever process fills it, or cannot: on a full disk it stays as it is. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.schedule(0);
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    this.wake();
    if (this.lacksBackup()) {
      await this.regularBackup();
    }
    this.lock?.release();
    this.part.close();
    this.index.close();
    this.context.statements.db.close();
  }

  private schedule(ms: number): void {
    clearTimeout(this.timer);
    if (!this.closed) {
      this.timer = setTimeout(() => this.turn(), ms);
      if (this.waiting.length === 0) {
        this.timer.unref();
      }
    }
  }

  /** One bounded piece of work, then other messages get their turn. */
  private turn(): void {
    try {
      this.checkpoint();
      this.holdLock();
      const hasPlace = this.index.hasPlace();
      if (hasPlace && this.fillSome()) {
        this.tellProgress(() => this.index.progress());
        this.schedule(0);
        return;
      }
      if (!hasPlace) this.wake();
      if (this.failed || this.index.isComplete()) {
        if (this.told.behind > 0) {
          this.told.at = Number.NEGATIVE_INFINITY;
          this.tellProgress(() => ({ ...this.index.progress(), behind: 0 }));
        }
        this.wake();
      }
      if (this.lock !== null && this.isBackupDue()) {
        void this.regularBackup();
      }
    } catch (thrown) {
      this.fail(thrown);
    }
    this.schedule(this.waiting.length > 0 && this.lock === null ? 20 : POLL_MS);
  }

  private fillSome(): boolean {
    if (this.lock === null || this.failed) return false;
    this.index.prepare();
    return this.index.fillSome(this.mustHurry());
  }

  /** Where room is short an index that lags would take what a full disk has just been given: it keeps up then. */
  private mustHurry(): boolean {
    return this.waiting.length > 0 || freeBytes(this.folder) < PLENTY_BYTES;
  }

  /** Not for the few steps of a run that goes on: those are there within a moment. */
  private tellProgress(read: () => IndexProgress): void {
    const now = performance.now();
    if (now - this.told.at < PROGRESS_MS) return;
    const progress = read();
    if (progress.behind > 0 || this.told.behind > 0) this.options.notify({ kind: 'index', ...progress });
    this.told = { at: now, behind: progress.behind };
  }

  /** Copies the write-ahead log into the main file while the writer goes on. */
  private checkpoint(): void {
    const log = statSync(`${workspaceFile(this.folder)}-wal`, { throwIfNoEntry: false });
    if (
      log !== undefined &&
      log.size > CHECKPOINT_BYTES &&
      performance.now() - this.checkpointed > CHECKPOINT_MS
    ) {
      this.context.statements.db.pragma('wal_checkpoint(PASSIVE)');
      this.checkpointed = performance.now();
    }
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) {
      resolve();
    }
  }

  private holdLock(): void {
    if (this.lock === null && performance.now() - this.askedForLock > LOCK_MS) {
      this.askedForLock = performance.now();
      this.lock = holdLock(workLockPath(this.folder, 'indexer'), 0, 0);
    }
  }

  private isBackupDue(): boolean {
    const every = this.options.backupEveryMs ?? BACKUP_MS;
    return (
      performance.now() - this.saved.at >= every && entriesMark(this.context.statements) !== this.saved.mark
    );
  }

  /**
   * What was said while this process was here is copied when it goes, however young the newest copy is; what others said, at
   * the usual interval.
   */
  private lacksBackup(): boolean {
    const every = this.options.backupEveryMs ?? BACKUP_MS;
    const { at, mark } = newestBackup(this.folder);
    const reached = entriesMark(this.context.statements);
    return reached !== mark && (reached !== this.met || Math.abs(this.options.now() - at) >= every);
  }

  private async regularBackup(): Promise<void> {
    // The next try comes after the same interval, whatever this one gives.
    this.saved.at = performance.now();
    try {
      await this.backup();
    } catch (thrown) {
      this.tell(thrown);
    }
  }

  /** Search stops where the log cannot be read; the log itself is `verify`'s business. */
  private fail(thrown: unknown): void {
    const failure = storeFailure(thrown, `the workspace ${this.folder}`, this.folder);
    if (failure instanceof WaymarkError && failure.code === 'workspace_locked') return;
    if (failure instanceof WaymarkError && failure.code === 'disk_full') {
      // Filled again once there is room, but nobody can wait for that.
      this.wake();
      return;
    }
    this.failed = true;
    this.wake();
    this.tell(thrown);
  }

  private tell(thrown: unknown): void {
    const failure = storeFailure(thrown, `the workspace ${this.folder}`, this.folder);
    if (!(failure instanceof WaymarkError)) {
      throw thrown;
    }
    const { code, message } = failure;
    if (code === 'disk_full' || code === 'workspace_corrupt' || code === 'read_only') {
      this.options.notify({ kind: 'problem', code, message });
    }
  }
}

/** Throws `workspace_corrupt` when what it needs cannot be read. */
export function openIndexPart(folder: string, options: IndexPartOptions): IndexPart {
  try {
    return new IndexPart(folder, options);
  } catch (thrown) {
    throw storeFailure(thrown, `the workspace ${folder}`, folder);
  }
}
