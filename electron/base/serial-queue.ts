/**
 * Does one piece of work after the other, in the order they were asked for. A failure belongs to whoever asked; the work
 * behind it is done anyway.
 */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();

  /** Settles as `work` does, once its turn has come. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const mine = this.last.then(work);
    this.last = mine.catch(() => undefined);
    return mine;
  }

  /** Resolves when nothing waits or is under way, also of what was asked for meanwhile; never rejects. */
  async idle(): Promise<void> {
    for (let seen: unknown; seen !== this.last; ) {
      seen = this.last;
      await seen;
    }
  }
}
