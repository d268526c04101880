import { join } from 'node:path';
import { type Clock, systemClock } from '../../electron/clock';
import { openStore } from '../../electron/store/threads/client';
import { slope } from '../../electron/testing/slope';
import { driveShortRun } from '../engine/short-run';
import { type Bench, figure, shorten, size } from '../harness';

const HOURS = 30;
/** The first hours fill caches and the first context. */
const WARM_UP = 6;
const MB = 1024 * 1024;

/** A run of thirty hours with contexts of 100k tokens, played as fast as it goes: what memory does meanwhile. */
export const thirtyHours: Bench = {
  name: 'thirty-hours',
  about: 'memory (heap and buffers after a collection) per simulated hour of a 30 h run, after the first six',
  async run(options) {
    const perHour = size(options, 100, 300, 10);
    const store = await openStore(join(options.folder, 'workspace'), { ballastBytes: 0 });
    const played = new PlayedClock(3_600_000 / perHour);
    const hours: number[] = [];
    await driveShortRun(
      store,
      HOURS * perHour,
      (step) => {
        played.step();
        if (step % perHour === 0) hours.push(used());
      },
      { contextTokens: 100_000, thought: 500, output: 3_000, clock: played.clock },
    );
    await store.close();
    const after = hours.slice(WARM_UP);
    const detail = `MB by hour ${hours.map((bytes) => (bytes / MB).toFixed(1)).join(' ')}; ${HOURS * perHour} steps`;
    options.say(`from ${shorten((after[0] ?? 0) / MB)} to ${shorten((after.at(-1) ?? 0) / MB)} MB`);
    return [figure('thirty-hours', slope(after) / MB, 'MB/h', { is: '≤', value: 1 }, { detail })];
  },
};

/** Wall and monotonic time that go on with the steps. */
class PlayedClock {
  private ms = 0;
  readonly clock: Clock;

  constructor(private readonly stepMs: number) {
    const began = systemClock.now();
    this.clock = { ...systemClock, now: () => began + this.ms, monotonic: () => this.ms };
  }

  step(): void {
    this.ms += this.stepMs;
  }
}

function used(): number {
  if (globalThis.gc === undefined) throw new Error('The bench needs --expose-gc.');
  globalThis.gc();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}
