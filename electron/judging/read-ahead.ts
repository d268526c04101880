/**
 * The next of `source`, while up to `most` after it are being made: whoever waits for an answer finds the next question ready.
 * Several may ask at a time; each gets one of its own, in order.
 */
export class ReadAhead<T> {
  private readonly coming: Promise<IteratorResult<T>>[] = [];

  constructor(
    private readonly source: AsyncIterator<T, void>,
    private readonly most: number,
  ) {}

  /** @throws what the source throws, once */
  async next(): Promise<IteratorResult<T>> {
    while (this.coming.length <= this.most) {
      const next = this.source.next();
      // It may be thrown before anybody asks for it.
      next.catch(() => undefined);
      this.coming.push(next);
    }
    return (await this.coming.shift()) ?? { done: true, value: undefined };
  }

  /** Resolves when nothing is being made any more. */
  async close(): Promise<void> {
    await this.source.return?.();
    await Promise.allSettled(this.coming);
  }
}
