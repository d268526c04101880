import { Meter } from '../../components/Meter';
import type { Budget } from '../../state/run/budgets';
import { useText } from '../../text/language';
import { budgetWords } from './budget-words';

export interface BudgetCellProps {
  budget: Budget;
  /** In place of the amount used, when that is not known. */
  unknown?: string | undefined;
}

/** One budget of the strip: used, of how much, a meter, and from 80 % on the share in words and colour. */
export function BudgetCell({ budget, unknown }: BudgetCellProps) {
  const text = useText();
  const words = budgetWords(budget, text);
  const { level, share, kind } = budget;
  const tone = level === 'spent' ? 'tone-danger' : level === 'near' ? 'tone-attention' : '';
  return (
    <div
      className={`strip-cell strip-budget strip-${kind}`}
      data-testid={`budget-${kind}`}
      data-level={level}
      title={unknown ?? words.sentence}
    >
      <span className="strip-key">{words.name}</span>
      <span className="strip-value">
        {unknown === undefined ? words.used : text.common.unknown}
        {words.warning === null ? (
          share !== null && <Meter value={share} label={words.sentence} />
        ) : (
          <span className={`row budget-warning ${tone}`}>
            <Meter
              value={share ?? 0}
              label={words.sentence}
              tone={level === 'spent' ? 'danger' : 'attention'}
            />
            {words.warning}
          </span>
        )}
      </span>
    </div>
  );
}
