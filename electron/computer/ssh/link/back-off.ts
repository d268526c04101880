const firstMs = 500;
const longestMs = 30_000;
const jitter = 0.2;

/** Waits between tries: 0.5, 1, 2, 4 … 30 s, each ±20 % so that many links do not come back in step. */
export class BackOff {
  private failures = 0;

  /** @param random as `Math.random` */
  constructor(private readonly random: () => number) {}

  /** How long to wait before the next try, ms. */
  next(): number {
    const plain = Math.min(longestMs, firstMs * 2 ** Math.min(this.failures, 16));
    this.failures += 1;
    return Math.round(plain * (1 + jitter * (2 * this.random() - 1)));
  }

  reset(): void {
    this.failures = 0;
  }
}
