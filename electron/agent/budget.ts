import type { Loop } from './loop-types';

/** Working time left, ms, never negative. */
export function leftMs({ ports, state, options }: Loop): number {
  return Math.max(0, options.limits.maxWorkingMs - state.run.time.ms(ports.clock.now()));
}

/**
 * Added to the end of the last message of one request only, so that the prefix stays byte-stable
 * (semantics, Context): working time, steps and evaluations left.
 */
export function budgetTail(loop: Loop): string {
  const { state, options } = loop;
  const steps = options.limits.maxSteps - state.run.step;
  const { maxEvals } = options.limits;
  const evals = Math.max(0, maxEvals - state.run.evaluations.tries);
  return `\n\n[Budget: ${spell(leftMs(loop))} of working time, ${steps} steps and ${evals} of ${maxEvals} evaluations left.]`;
}

function spell(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) {
    return `${Math.ceil(ms / 1_000)} s`;
  }
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A signal that also aborts after `ms`; `done` lets go of timer and listeners. */
export function withTimeLimit(
  signals: readonly AbortSignal[],
  ms: number,
): { signal: AbortSignal; timedOut(): boolean; done(): void } {
  const controller = new AbortController();
  let timedOut = false;
  const abort = (event: Event) => controller.abort((event.target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) {
      controller.abort(signal.reason);
    } else {
      signal.addEventListener('abort', abort, { once: true });
    }
  }
  const timer = setTimeout(
    () => {
      timedOut = true;
      controller.abort(new Error('The working time is used up.'));
    },
    Math.min(ms, 2_147_483_647),
  );
  return {
    signal: controller.signal,
    timedOut: () => timedOut,
    done: () => {
      clearTimeout(timer);
      for (const signal of signals) {
        signal.removeEventListener('abort', abort);
      }
    },
  };
}
