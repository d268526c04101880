import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/errors';
import type { StoreNotice } from './api';
import { type Db, isDiskFull } from './database';
import { rowSum } from './hashing';

const PROBE_MS = 1000;
const BALLAST_DELAY_MS = 10_000;
/** Free space beyond the ballast that ends the refusal, bytes. */
const RESUME_BYTES = 512 * 1024;

/**
 * A full disk refuses new work visibly and resumes by itself. A ballast file is deleted at that moment, so that
 * SQLite has room to checkpoint; it comes back once there is space again.
 */
export class DiskGuard {
  private full = false;
  private timer: NodeJS.Timeout | undefined;
  private told: string | undefined;
  private readonly path: string;
  private released = 0;

  constructor(
    private readonly db: Db,
    private readonly folder: string,
    private readonly ballastBytes: number,
    private readonly notify: (notice: StoreNotice) => void,
  ) {
    this.path = join(folder, 'ballast');
  }

  start(): void {
    if (this.ballastBytes > 0) {
      this.later(BALLAST_DELAY_MS, () => this.createBallast());
    }
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Throws `disk_full` while the disk is known to be full. */
  check(): void {
    if (this.full) {
      throw fullError(this.folder);
    }
  }

  /** Looks at a failure: a full disk begins the refusal, other troubles of the file are told once. */
  noticed(thrown: unknown, failure: unknown): void {
    if (isDiskFull(thrown)) {
      this.refuse();
    } else if (
      failure instanceof WaymarkError &&
      (failure.code === 'workspace_corrupt' || failure.code === 'read_only') &&
      this.told !== failure.code
    ) {
      this.told = failure.code;
      this.notify({ kind: 'problem', code: failure.code, message: failure.message });
    }
  }

  private refuse(): void {
    if (this.full) {
      return;
    }
    this.full = true;
    this.released = sizeOf(this.path);
    rmSync(this.path, { force: true });
    this.notify({ kind: 'problem', code: 'disk_full', message: fullError(this.folder).message });
    this.later(PROBE_MS, () => this.probe());
  }

  private probe(): void {
    if (freeBytes(this.folder) >= this.released + RESUME_BYTES && this.canWrite()) {
      this.full = false;
      this.createBallast();
      this.notify({ kind: 'problem_solved', code: 'disk_full' });
    } else {
      this.later(PROBE_MS, () => this.probe());
    }
  }

  private canWrite(): boolean {
    try {
      const value = String(Date.now());
      this.db
        .prepare("INSERT OR REPLACE INTO meta (key, value, sum) VALUES ('probe', ?, ?)")
        .run(value, rowSum('probe', value));
      return true;
    } catch (thrown) {
      if (isDiskFull(thrown)) {
        return false;
      }
      throw thrown;
    }
  }

  private createBallast(): void {
    const size = Math.min(this.ballastBytes, Math.floor(freeBytes(this.folder) / 20));
    if (size <= 0 || sizeOf(this.path) > 0) {
      return;
    }
    const file = openSync(this.path, 'w');
    try {
      const zeros = Buffer.alloc(Math.min(size, 1024 * 1024));
      for (let written = 0; written < size; ) {
        written += writeSync(file, zeros, 0, Math.min(zeros.length, size - written));
      }
      fsyncSync(file);
    } catch (thrown) {
      rmSync(this.path, { force: true });
      if (!isDiskFull(thrown)) {
        throw thrown;
      }
    } finally {
      closeSync(file);
    }
  }

  private later(ms: number, action: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(action, ms);
    this.timer.unref();
  }
}

function fullError(folder: string): WaymarkError {
  return new WaymarkError(
    'disk_full',
    `The disk that holds the workspace ${folder} is full. Nothing acknowledged is lost; work goes on by itself once there is space.`,
  );
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
