import type { RunEvent } from '../../log/events';
import { type AttentionState, over, raise, workingMs } from './attention-state';

/** Share of a budget from which it is worth a word. */
export const BUDGET_SHARE = 0.8;

export type BudgetName = 'steps' | 'time' | 'tokens' | 'cost' | 'evaluations';

/** Events after which a budget may have been passed. */
const TELLING: ReadonlySet<string> = new Set([
  'model.answered',
  'summary.rejected',
  'evaluation.ended',
  'limits.changed',
  'command.ran',
  'action.observed',
  'branch.began',
]);

/** One item per budget that is used up to four fifths or more; a limit that was raised takes it back. */
export function foldBudgets(state: AttentionState, event: RunEvent): void {
  if (!TELLING.has(event.kind) || state.limits === null || state.ended) return;
  const { limits, scores, taken, tokens, cost } = state;
  const budgets: [BudgetName, number, number | undefined][] = [
    ['steps', taken, limits.maxSteps],
    ['time', workingMs(state), limits.maxWorkingMs],
    ['tokens', tokens, limits.maxTokens],
    ['cost', cost, limits.maxCost],
    ['evaluations', scores.tries, limits.maxEvals],
  ];
  const step = state.step === 0 ? null : state.step;
  for (const [budget, used, limit] of budgets) {
    if (limit === undefined || limit === 0) {
      if (event.kind === 'limits.changed') over(state, 'budget', budget);
    } else if (used >= BUDGET_SHARE * limit) {
      const known = state.items.some((item) => item.open && item.id === `${state.run} budget ${budget}`);
      if (!known || event.kind === 'limits.changed') {
        raise(state, event, 'budget', budget, { step, facts: { budget, used, limit } });
      } else {
        raise(state, event, 'budget', budget, { facts: { used } });
      }
    } else if (event.kind === 'limits.changed') over(state, 'budget', budget);
  }
}
