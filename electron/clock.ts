/** Wall and monotonic time as a port, so that loop and tests share one notion of it. */
export interface Clock {
  /** Wall clock, ms since 1970. Display and stamps only; never for order or durations. */
  now(): number;
  /** Monotonic, ms, from an arbitrary origin. */
  monotonic(): number;
  /** Resolves after `ms` or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
