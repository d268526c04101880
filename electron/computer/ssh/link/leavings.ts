import type { LinkClock } from './link-clock';

/** How long a closed channel may take to be gone before nobody waits for it any more, ms. */
const patienceMs = 3000;

/** What was closed and is on its way out, so that the end of a link can wait for it. */
export class Leavings {
  private readonly leaving = new Set<Promise<void>>();

  constructor(private readonly clock: LinkClock) {}

  /** `gone` never rejects. */
  add(gone: Promise<unknown>): void {
    const leaving = new Promise<void>((resolve) => {
      const cancel = this.clock.after(patienceMs, resolve);
      gone.then(() => {
        cancel();
        resolve();
      });
    });
    this.leaving.add(leaving);
    leaving.then(() => this.leaving.delete(leaving));
  }

  async over(): Promise<void> {
    await Promise.all(this.leaving);
  }
}
