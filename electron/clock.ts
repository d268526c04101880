/** Wall and monotonic time as a port, so that loop and tests share one notion of it. */
export interface Clock {
  /** Wall clock, ms since 1970. Display and stamps only; never for order or durations. */
  now(): number;
  /** Monotonic, ms, from an arbitrary origin. */
  monotonic(): number;
  /** Resolves after `ms` or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(
        () => {
          signal.removeEventListener('abort', abort);
          resolve();
        },
        Math.min(ms, 2_147_483_647),
      );
      signal.addEventListener('abort', abort, { once: true });
    }),
};

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

/** Waits for the work, but no longer than `ms`. It goes on; whoever started it sees to its failure. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
