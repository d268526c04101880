import type { RetryOptions } from './loop-types';

/** What a server may make us wait at most when it names a time, ms. */
const LONGEST_ASKED_MS = 15 * 60_000;

/**
 * Delay before the next try, ms: doubling from `baseMs` up to `capMs`, the upper half of it random so that many
 * runs do not come back at once; never less than what the server asked for (within reason).
 */
export function backOff(
  failures: number,
  retryAfterMs: number | null,
  options: RetryOptions,
  random: number,
): number {
  const full = Math.min(options.capMs, options.baseMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  const delay = full / 2 + (full / 2) * random;
  return Math.round(Math.max(delay, Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS)));
}
