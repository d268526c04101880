import type { LinkClock } from '../../../clock';

/** A time limit that stands still while it is held, and starts anew when something got on. */
export class Patience {
  private holds = 0;
  private ended = false;
  private cancelTimer: () => void = () => undefined;

  /** `over` is called once, `ms` after the last sign of progress. */
  constructor(
    private readonly clock: LinkClock,
    private readonly ms: number,
    private readonly over: () => void,
  ) {
    this.renew();
  }

  renew(): void {
    if (this.ended || this.holds > 0) return;
    this.cancelTimer();
    this.cancelTimer = this.clock.after(this.ms, () => {
      this.ended = true;
      this.over();
    });
  }

  get held(): boolean {
    return this.holds > 0;
  }

  /** Stands still until the promise settles, then starts anew. */
  async whileHeld<T>(wait: Promise<T>): Promise<T> {
    this.holds += 1;
    this.cancelTimer();
    try {
      return await wait;
    } finally {
      this.holds -= 1;
      this.renew();
    }
  }

  end(): void {
    this.ended = true;
    this.cancelTimer();
  }
}
