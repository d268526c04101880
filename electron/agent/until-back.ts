import { backOffMs } from '../base/back-off';
import type { Clock } from '../clock';

/** A link that is back within this time is no news, ms. */
const NO_NEWS_MS = 1_000;
const RETRY = { firstMs: 1_000, longestMs: 30_000, jitter: [0.5, 1] } as const;
/** After a second failure in a row a link that says it is up is believed a little later each time, ms. */
const DOUBT_MS = 250;
const MOST_DOUBT_MS = 5_000;
/** How often somebody is asked whether to wait on, ms. */
const ASK_MS = 1_000;

export interface BackDeps {
  clock: Clock;
  /** In [0, 1). */
  random(): number;
  /**
   * Resolves when the computer that `error` names can be reached again; never when nobody can tell. May reject when
   * `signal` aborts.
   */
  back?: ((error: unknown, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Whether the computer is back so soon that nobody needs to hear of it. @throws the signal's reason */
export function isBackSoon(deps: BackDeps, error: unknown, signal: AbortSignal): Promise<boolean> {
  return deps.back === undefined ? Promise.resolve(false) : within(deps, error, NO_NEWS_MS, signal);
}

/**
 * Waits until another try makes sense: at once when the link is back, else with growing pauses. `failures`: tries in a
 * row that failed. False when `giveUp` said so meanwhile. @throws the signal's reason
 */
export async function untilBack(
  deps: BackDeps,
  error: unknown,
  failures: number,
  signal: AbortSignal,
  giveUp: () => boolean = () => false,
): Promise<boolean> {
  if (failures > 1) await deps.clock.sleep(Math.min(MOST_DOUBT_MS, DOUBT_MS * (failures - 1)), signal);
  let left = backOffMs(failures, RETRY, deps.random());
  while (left > 0 && !giveUp()) {
    if (await within(deps, error, Math.min(left, ASK_MS), signal)) break;
    left -= ASK_MS;
  }
  return !giveUp();
}

/** True when the computer was back before the time was over. */
async function within(deps: BackDeps, error: unknown, ms: number, signal: AbortSignal): Promise<boolean> {
  const over = new AbortController();
  const stop = () => over.abort(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const slept = deps.clock.sleep(ms, over.signal).then(() => false);
  const back = deps.back?.(error, over.signal).then(() => true) ?? slept;
  try {
    // Whoever is not waited for any more ends with the signal; its rejection says nothing new.
    slept.catch(() => undefined);
    back.catch(() => undefined);
    return await Promise.race([slept, back]);
  } finally {
    signal.removeEventListener('abort', stop);
    over.abort(new Error('Nobody waits for the computer any more.'));
  }
}
