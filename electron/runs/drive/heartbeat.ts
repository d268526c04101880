import { constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { SerialQueue } from '../../base/serial-queue';
import type { Clock } from '../../clock';
import { readRegularFile } from '../../files/regular-file';

const BEAT_MS = 2_000;
/** A workspace may be somebody else's: no link is written through, and no pipe waited for. */
const WRITE =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_TRUNC |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);
/** A gap between two beats from which on the machine slept or the process stood still. */
const STANDSTILL_MS = 10_000;
/** The wall clock and the monotonic one differ by this much after a step back; slower corrections do not matter. */
const JUMP_MS = 3_000;

export interface HeartbeatOptions {
  /** The run's folder in the workspace. */
  folder: string;
  clock: Clock;
  /** Wall-clock ms: the last beat before the gap, and now. Resolves when it is in the log, or cannot be. */
  suspended(from: number, to: number): Promise<void>;
  /** The clock was set back: what it would show, and what it shows. Resolves as `suspended`. */
  jumped(from: number, to: number): Promise<void>;
}

/**
 * Notes every two seconds, outside the run log, that the driver is alive. A gap is suspension (not working time);
 * the last beat of a driver that died tells its successor when. A clock that is set forward looks like a suspension: either
 * way the gap is no working time.
 */
export class Heartbeat {
  private last: number;
  private lastMonotonic: number;
  /** A moment on both clocks; the log knows all settings of the wall clock until then. */
  private known: { wall: number; monotonic: number };
  /** Settings of the clock that are on their way into the log. */
  private untold = 0;
  private timer: NodeJS.Timeout | null;
  private readonly writes = new SerialQueue();

  constructor(private readonly options: HeartbeatOptions) {
    this.last = options.clock.now();
    this.lastMonotonic = options.clock.monotonic();
    this.known = { wall: this.last, monotonic: this.lastMonotonic };
    this.timer = setInterval(() => this.beat(), BEAT_MS);
    this.timer.unref();
    this.write();
  }

  /**
   * Wall-clock ms as the log reckons: it goes on evenly over a setting of the clock until the log knows of that. The working
   * time that is left is measured by it; by the wall clock a year would have passed at once and the run would be over.
   */
  reckoned(): number {
    return this.known.wall + (this.options.clock.monotonic() - this.known.monotonic);
  }

  async stop(): Promise<void> {
    if (this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
    }
    await this.writes.idle();
  }

  private beat(): void {
    const { clock, suspended, jumped } = this.options;
    const now = clock.now();
    const monotonic = clock.monotonic();
    const passed = monotonic - this.lastMonotonic;
    const due = this.last + passed;
    if (now - this.last > STANDSTILL_MS) {
      this.tell(suspended(this.last, now));
    } else if (due - now > JUMP_MS) {
      // Stopped and set back at once: what the process did not work through does not count.
      this.tell(jumped(passed > STANDSTILL_MS ? this.last : due, now));
    }
    this.last = now;
    this.lastMonotonic = monotonic;
    this.catchUp();
    this.write();
  }

  private tell(told: Promise<void>): void {
    this.untold += 1;
    void told.finally(() => {
      this.untold -= 1;
      this.catchUp();
    });
  }

  private catchUp(): void {
    if (this.untold === 0) this.known = { wall: this.last, monotonic: this.lastMonotonic };
  }

  /** A beat that cannot be written (full disk) costs precision after a crash, nothing else. */
  private write(): void {
    const { folder } = this.options;
    const write = () => writeFile(heartbeatFile(folder), String(this.last), { flag: WRITE });
    this.writes.run(write).catch(() => undefined);
  }
}

/** Wall-clock ms of the last beat; null when there is none. */
export async function lastHeartbeat(folder: string): Promise<number | null> {
  try {
    const at = Number((await readRegularFile(heartbeatFile(folder), 'heartbeat', 64, '')).toString('utf8'));
    return Number.isSafeInteger(at) && at > 0 ? at : null;
  } catch (error) {
    // There is none, or something else is in its place, which says nothing.
    if (error instanceof WaymarkError && ['not_found', 'bad_input'].includes(error.code)) {
      return null;
    }
    throw error;
  }
}

const heartbeatFile = (folder: string) => join(folder, 'heartbeat');
