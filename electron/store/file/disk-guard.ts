import { closeSync, existsSync, fsyncSync, openSync, statfsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { inside } from '../../files/inside';
import { makeFileIn } from '../../files/private';
import { removeFile } from '../../files/remove';
import { rowSum } from '../log/hashing';
import type { StoreNotice } from '../notices';
import { type Db, isDiskFull, storeFailure, systemCode } from './database';

/** Free space beyond the ballast that ends the refusal of new work, bytes. */
const RESUME_BYTES = 512 * 1024;

/** What others than root can still write there; 0 where the folder is gone. */
export function freeBytes(folder: string): number {
  try {
    return toldFree(folder);
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return 0;
    throw thrown;
  }
}

/** The same; null where the system does not say, as of a folder that is gone. */
export function knownFreeBytes(folder: string): number | null {
  try {
    return toldFree(folder);
  } catch (thrown) {
    if (systemCode(thrown) === '') throw thrown;
    return null;
  }
}

function toldFree(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Whether a workspace that is there has neither room nor a ballast. */
export function lacksRoom(folder: string): boolean {
  return (
    existsSync(inside(folder, 'workspace.db')) &&
    !existsSync(inside(folder, 'ballast')) &&
    freeBytes(folder) < RESUME_BYTES
  );
}

const PROBE_MS = 1000;
const LOOK_MS = 50;
const BALLAST = 'ballast';
const BALLAST_DELAY_MS = 10_000;

/** What holds writes up until it is over. */
const HOLDING = ['workspace_locked', 'workspace_moved', 'system_busy'] as const;
type Holding = (typeof HOLDING)[number];

function isHolding(code: string): code is Holding {
  return HOLDING.some((each) => each === code);
}

/**
 * A full disk refuses new work visibly and resumes by itself. A ballast file is deleted at that moment, so that
 * SQLite has room to checkpoint; it comes back once there is space again.
 */
export class DiskGuard {
  private full = false;
  private timer: NodeJS.Timeout | undefined;
  private told: string | undefined;
  /** What holds writes up for a while. */
  private held: Holding | undefined;
  private readonly path: string;
  /** Of the workspace's file as it was opened. */
  private readonly inode: bigint | undefined;
  private released = 0;
  /** When the folder was last seen in its place, on the clock of `performance`. */
  private lookedAt: number | undefined;

  constructor(
    private readonly db: Db,
    private readonly folder: string,
    private readonly ballastBytes: number,
    private readonly notify: (notice: StoreNotice) => void,
  ) {
    this.path = ballastFile(folder);
    this.inode = this.inodeNow();
  }

  /**
   * `ballastReleased`: bytes of ballast that were given back so that the workspace could be opened at all. They are for
   * reading and removing, so new work is refused until there is room for them again.
   */
  start(ballastReleased = 0): void {
    if (ballastReleased > 0) {
      this.refuse();
      this.released += ballastReleased;
    } else if (this.ballastBytes > 0) {
      this.later(BALLAST_DELAY_MS, () => this.createBallast());
    }
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Throws `disk_full` while the disk is known to be full. */
  check(): void {
    if (this.full) {
      throw notStored(this.folder);
    }
  }

  /**
   * Throws `workspace_moved` where the folder has another place by now. Its database would go on there, unseen, while what is
   * written by name, such as the bytes of sessions, would be lost. What has failed by name is asked about at once (`failed`);
   * whoever writes rows alone hears of it within `LOOK_MS`, and loses none of them: they move with their file.
   */
  present(): void {
    const now = performance.now();
    if (this.lookedAt !== undefined && now - this.lookedAt < LOOK_MS) {
      return;
    }
    if (!this.isHere()) {
      throw moved(this.folder);
    }
    this.lookedAt = now;
  }

  /** What keeps the folder from being looked at says nothing of its place: it is told as what it is. */
  private isHere(): boolean {
    try {
      return this.inodeNow() === this.inode;
    } catch (thrown) {
      if (systemCode(thrown) !== '') return true;
      throw thrown;
    }
  }

  private inodeNow(): bigint | undefined {
    return statSync(join(this.folder, 'workspace.db'), { bigint: true, throwIfNoEntry: false })?.ino;
  }

  /**
   * What a write failed of, as it is told to whoever asked for it. A full disk begins the refusal, a lock is told until it is
   * released, other troubles once.
   */
  failed(thrown: unknown): unknown {
    if (!this.isHere()) {
      this.lookedAt = undefined;
      const failure = moved(this.folder);
      this.noticed(failure, false);
      return failure;
    }
    const failure = storeFailure(thrown, `the workspace ${this.folder}`, this.folder);
    const full = isDiskFull(thrown, this.folder) && failure instanceof WaymarkError;
    this.noticed(failure, full);
    return full ? notStored(this.folder, failure.detail) : failure;
  }

  private noticed(failure: unknown, full: boolean): void {
    if (full) {
      this.refuse();
    } else if (failure instanceof WaymarkError && isHolding(failure.code)) {
      this.wait(failure.code, failure.message);
    } else if (
      failure instanceof WaymarkError &&
      (failure.code === 'workspace_corrupt' || failure.code === 'read_only') &&
      this.told !== failure.code
    ) {
      this.told = failure.code;
      this.notify({ kind: 'problem', code: failure.code, message: failure.message });
    }
  }

  /** A commit: what held it up is over. */
  stored(): void {
    const { held } = this;
    if (held !== undefined) {
      this.held = undefined;
      this.notify({ kind: 'problem_solved', code: held });
    }
  }

  private wait(code: Holding, message: string): void {
    if (this.held !== undefined || this.full) {
      return;
    }
    this.held = code;
    this.notify({ kind: 'problem', code, message });
    // Nobody may write meanwhile, so nobody else would find out.
    this.later(PROBE_MS, () => this.probeLock());
  }

  private probeLock(): void {
    if (this.held !== undefined && !(this.isHere() && this.canWrite())) {
      this.later(PROBE_MS, () => this.probeLock());
      return;
    }
    this.stored();
    this.start();
  }

  /** The disk is full: gives the ballast back and refuses new work, so that what is left serves reading and removing. */
  refuse(): void {
    if (this.full) {
      return;
    }
    this.full = true;
    this.released = releaseBallast(this.folder);
    const message = `The disk that holds the workspace ${this.folder} is full. Nothing acknowledged is lost; work continues automatically once there is space.`;
    this.notify({ kind: 'problem', code: 'disk_full', message });
    this.later(PROBE_MS, () => this.probe());
  }

  private probe(): void {
    if (
      this.isHere() &&
      freeBytes(this.folder) >= this.released + RESUME_BYTES &&
      this.canMakeFiles() &&
      this.canWrite()
    ) {
      this.full = false;
      this.createBallast();
      this.notify({ kind: 'problem_solved', code: 'disk_full' });
    } else {
      this.later(PROBE_MS, () => this.probe());
    }
  }

  /** A file system can have room for bytes and none for another file; one that does not count files says 0. */
  private canMakeFiles(): boolean {
    const { files, ffree } = statfsSync(this.folder);
    return files === 0 || ffree > 0;
  }

  private canWrite(): boolean {
    try {
      const value = String(Date.now());
      this.db
        .prepare("INSERT OR REPLACE INTO meta (key, value, sum) VALUES ('probe', ?, ?)")
        .run(value, rowSum('probe', value));
      return true;
    } catch (thrown) {
      // Nobody waits for this: whatever holds the file up, it is tried again.
      if (storeFailure(thrown, this.folder, this.folder) instanceof WaymarkError) {
        return false;
      }
      throw thrown;
    }
  }

  private createBallast(): void {
    if (!this.isHere()) {
      return;
    }
    const size = Math.min(this.ballastBytes, Math.floor(freeBytes(this.folder) / 20));
    if (size <= 0 || sizeOf(this.path) > 0) {
      return;
    }
    keepAsBallast(this.folder, size);
  }

  private later(ms: number, action: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(action, ms);
    this.timer.unref();
  }
}

/** Takes so many bytes of the disk as ballast; where they are not free it takes none. */
export function keepAsBallast(folder: string, size: number): void {
  let file: number | undefined;
  try {
    file = openSync(makeFileIn(folder, BALLAST), 'r+');
    const zeros = Buffer.alloc(Math.min(size, 1024 * 1024));
    for (let written = 0; written < size; ) {
      written += writeSync(file, zeros, 0, Math.min(zeros.length, size - written));
    }
    fsyncSync(file);
  } catch (thrown) {
    removeFile(folder, BALLAST);
    // A precaution that cannot be taken now is no trouble yet.
    if (!(storeFailure(thrown, folder, folder) instanceof WaymarkError)) {
      throw thrown;
    }
  } finally {
    if (file !== undefined) {
      closeSync(file);
    }
  }
}

function ballastFile(folder: string): string {
  return inside(folder, BALLAST);
}

/** Gives the room of the ballast back; how many bytes that was. */
export function releaseBallast(folder: string): number {
  const size = sizeOf(ballastFile(folder));
  removeFile(folder, BALLAST);
  return size;
}

/** For whoever asked for one write: it is not taken up again by itself. */
function notStored(folder: string, detail?: string): WaymarkError {
  return new WaymarkError(
    'disk_full',
    `The disk that holds the workspace ${folder} is full, and this was not stored. Free some space and try again.`,
    detail,
  );
}

function moved(folder: string): WaymarkError {
  return new WaymarkError(
    'workspace_moved',
    `The workspace is no longer in ${folder}: the folder was moved, renamed or deleted while it was open, and nothing is stored meanwhile. Move it back, or close Waymark here and open the folder in its new place.`,
  );
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
