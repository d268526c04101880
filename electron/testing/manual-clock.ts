import type { LinkClock } from '../clock';

/** Time that passes only when a test says so. Starts at noon of some day. */
export class ManualClock implements LinkClock {
  private wall = Date.UTC(2026, 0, 15, 12);
  private ownMonotonic = 1000;
  private timers: { at: number; run: () => void }[] = [];

  now(): number {
    return this.wall;
  }

  monotonic(): number {
    return this.ownMonotonic;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.ownMonotonic + ms, run };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Timers that were not called off. */
  get pending(): number {
    return this.timers.length;
  }

  /** Lets `ms` pass, one timer at a time; what a timer sets off is over before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.ownMonotonic + ms;
    for (;;) {
      await this.settle();
      const next = this.timers.reduce<{ at: number; run: () => void } | undefined>(
        (first, timer) => (timer.at <= end && (!first || timer.at < first.at) ? timer : first),
        undefined,
      );
      if (!next) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.skip(Math.max(0, next.at - this.ownMonotonic));
      next.run();
    }
    this.skip(end - this.ownMonotonic);
    await this.settle();
  }

  /** Time passes and no timer fires: the process was stopped. */
  skip(ms: number): void {
    this.ownMonotonic += ms;
    this.wall += ms;
  }

  /** Only the wall clock goes on: the machine slept. */
  sleep(ms: number): void {
    this.wall += ms;
  }

  /** Until everything that is under way inside this process has come to rest. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}
