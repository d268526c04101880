import type { RunSummary } from '@shared/contract/views';

export type BudgetKind = 'time' | 'steps' | 'tokens' | 'cost' | 'evals';

/** How much of one of a run's limits is used. Time in milliseconds, cost in the currency of the price table. */
export interface Budget {
  kind: BudgetKind;
  used: number;
  /** Null = no limit. */
  limit: number | null;
  /** used / limit; null without a limit. */
  share: number | null;
  /** `near` from 80 %, `spent` from 100 %. */
  level: 'plain' | 'near' | 'spent';
}

/** A run's budgets in the order of the strip. A limit of 0 counts as spent. */
export function budgetsOf(
  run: Pick<RunSummary, 'workingMs' | 'taken' | 'tokens' | 'maxTokens' | 'cost' | 'maxCost'> & {
    maxWorkingMs: number | null;
    maxSteps: number | null;
    scores: Pick<RunSummary['scores'], 'tries'> & { maxTries: number | null };
  },
): Record<BudgetKind, Budget> {
  return {
    time: budget('time', run.workingMs, run.maxWorkingMs),
    steps: budget('steps', run.taken, run.maxSteps),
    tokens: budget('tokens', run.tokens.input + run.tokens.output, run.maxTokens),
    cost: budget('cost', run.cost, run.maxCost),
    evals: budget('evals', run.scores.tries, run.scores.maxTries),
  };
}

function budget(kind: BudgetKind, used: number, limit: number | null): Budget {
  if (limit === null) return { kind, used, limit, share: null, level: 'plain' };
  const share = limit === 0 ? 1 : used / limit;
  return { kind, used, limit, share, level: share >= 1 ? 'spent' : share >= 0.8 ? 'near' : 'plain' };
}
