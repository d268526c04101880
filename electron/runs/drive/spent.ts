import type { Spent } from '@shared/log/checkpoint-events';
import type { RunFold } from '@shared/runs/run-fold';

/** What a run has used up at wall clock `now`, ms. */
export function spentBy(fold: RunFold, now: number): Spent {
  const { tries, best, last } = fold.evaluations;
  return {
    workingMs: Math.max(0, Math.round(fold.time.ms(now))),
    steps: fold.taken,
    ...fold.spent,
    evaluations: { tries, best, last },
  };
}
