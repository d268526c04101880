import type { Clock } from '../../../clock';

/** Time as a link sees it, so that tests can drive it. */
export interface LinkClock extends Pick<Clock, 'now' | 'monotonic'> {
  /** Runs once after `ms` of monotonic time; never keeps the process alive. Returns how to call it off. */
  after(ms: number, run: () => void): () => void;
}

export const systemLinkClock: LinkClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
