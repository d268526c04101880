import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock';

const BEAT_MS = 2_000;
/** A gap between two beats from which on the machine slept or the process stood still. */
const STANDSTILL_MS = 10_000;
/** The wall clock and the monotonic one differ by this much after a step back; slower corrections do not matter. */
const JUMP_MS = 3_000;

export interface HeartbeatOptions {
  /** The run's folder in the workspace. */
  folder: string;
  clock: Clock;
  /** Wall-clock ms: the last beat before the gap, and now. */
  suspended(from: number, to: number): void;
  /** The clock was set back: what it would show, and what it shows. */
  jumped(from: number, to: number): void;
}

/**
 * Notes every two seconds, outside the run log, that the driver is alive. A gap is suspension (not working time);
 * the last beat of a driver that died tells its successor when. A clock that is set forward looks like a suspension: either
 * way the gap is no working time.
 */
export class Heartbeat {
  private last: number;
  private lastMonotonic: number;
  private timer: NodeJS.Timeout | null;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly options: HeartbeatOptions) {
    this.last = options.clock.now();
    this.lastMonotonic = options.clock.monotonic();
    this.timer = setInterval(() => this.beat(), BEAT_MS);
    this.timer.unref();
    this.write();
  }

  async stop(): Promise<void> {
    if (this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
    }
    await this.writing;
  }

  private beat(): void {
    const { clock, suspended, jumped } = this.options;
    const now = clock.now();
    const monotonic = clock.monotonic();
    const due = this.last + (monotonic - this.lastMonotonic);
    if (now - this.last > STANDSTILL_MS) {
      suspended(this.last, now);
    } else if (due - now > JUMP_MS) {
      jumped(due, now);
    }
    this.last = now;
    this.lastMonotonic = monotonic;
    this.write();
  }

  /** A beat that cannot be written (full disk) costs precision after a crash, nothing else. */
  private write(): void {
    const { folder } = this.options;
    this.writing = this.writing.then(() =>
      writeFile(heartbeatFile(folder), String(this.last)).catch(() => undefined),
    );
  }
}

/** Wall-clock ms of the last beat; null when there is none. */
export async function lastHeartbeat(folder: string): Promise<number | null> {
  try {
    const at = Number(await readFile(heartbeatFile(folder), 'utf8'));
    return Number.isSafeInteger(at) && at > 0 ? at : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
}

const heartbeatFile = (folder: string) => join(folder, 'heartbeat');
