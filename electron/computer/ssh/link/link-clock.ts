import type { BackOffOptions } from '../../../base/back-off';
import type { Clock } from '../../../clock';

/** Time as a link sees it, so that tests can drive it. */
export interface LinkClock extends Pick<Clock, 'now' | 'monotonic'> {
  /** Runs once after `ms` of monotonic time; never keeps the process alive. Returns how to call it off. */
  after(ms: number, run: () => void): () => void;
}

/** Waits between tries of a link: 0.5, 1, 2, 4 … 30 s, each ±20 % so that many links do not come back in step. */
export const linkPauses: BackOffOptions = { firstMs: 500, longestMs: 30_000, jitter: [0.8, 1.2] };

export const systemLinkClock: LinkClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
