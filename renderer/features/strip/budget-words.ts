import type { Budget } from '../../state/run/budgets';
import type { Text } from '../../text/en';

export interface BudgetWords {
  /** "Cost of $60". */
  name: string;
  /** "$31.20". */
  used: string;
  /** "82 %", "all used"; null while there is nothing to say. */
  warning: string | null;
  /** The whole sentence, for tooltip and screen readers. */
  sentence: string;
}

/** A budget in words; the warning comes at 80 % and at 100 %. */
export function budgetWords(budget: Budget, text: Text): BudgetWords {
  const { format } = text.common;
  const words = text.runs;
  const say = (value: number): string => {
    switch (budget.kind) {
      case 'time':
        return format.duration(value - (value % 1000));
      case 'tokens':
        return format.compact(value);
      case 'cost':
        return format.money(value);
      default:
        return format.count(value);
    }
  };
  const used = say(budget.used);
  const limit = budget.limit === null ? null : say(budget.limit);
  const warning =
    budget.level === 'plain' || budget.share === null
      ? null
      : words.budgetShare(Math.floor(budget.share * 100));
  const sentence = words.budgetText(budget.kind, used, limit);
  return {
    name: words.budgetOf(budget.kind, limit),
    used,
    warning,
    sentence:
      budget.level === 'spent' && budget.kind !== 'evals' ? `${sentence}. ${words.budgetSpent}` : sentence,
  };
}
