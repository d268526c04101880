export interface BackOffOptions {
  /** The pause after the first failure, ms. It doubles with every further one. */
  firstMs: number;
  longestMs: number;
  /** How much of the pause is waited at least and at most, so that many who failed together do not come back together. */
  jitter?: readonly [least: number, most: number];
}

/** The pause after `failures` failures in a row, ms. @param random in [0, 1), as `Math.random` gives it */
export function backOffMs(failures: number, options: BackOffOptions, random: number): number {
  const { firstMs, longestMs, jitter: [least, most] = [1, 1] } = options;
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return Math.round(full * (least + (most - least) * random));
}

/** Counts failures in a row and names the pause after each. */
export class BackOff {
  private failures = 0;

  /** @param random as `Math.random` */
  constructor(
    private readonly options: BackOffOptions,
    private readonly random: () => number,
  ) {}

  /** Another failure: how long to wait before the next try, ms. */
  next(): number {
    this.failures += 1;
    return backOffMs(this.failures, this.options, this.random());
  }

  /** A try succeeded. */
  reset(): void {
    this.failures = 0;
  }
}
