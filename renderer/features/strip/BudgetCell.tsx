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

interface MeterProps {
  /** 0..1; more is drawn as full. */
  value: number;
  label: string;
  width?: number;
  /** How it is drawn; by default with attention from 90 % on. */
  tone?: 'plain' | 'attention' | 'danger';
}

/** How much of a limit is used; the number stands beside it. */
export function Meter({ value, label, width = 32, tone }: MeterProps) {
  const percent = Math.round(Math.max(0, Math.min(1, value)) * 100);
  const shown = tone ?? (percent >= 90 ? 'attention' : 'plain');
  const look = { plain: '', attention: 'meter-high', danger: 'meter-spent' }[shown];
  return (
    <span role="img" aria-label={label} className={`meter ${look}`} style={{ width }}>
      <i style={{ width: `${percent}%` }} />
    </span>
  );
}
