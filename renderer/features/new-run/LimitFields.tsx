import type { TaskRow } from '@shared/contract/ipc/application';
import { LineField } from '../../components/LineField';
import { useText } from '../../text/language';
import { type LimitDraft, readDraft } from './limits';

export interface LimitFieldsProps {
  task: TaskRow | undefined;
  draft: LimitDraft;
  onDraft: (draft: LimitDraft) => void;
  /** Whether the model has a price, without which money cannot be limited. */
  priced: boolean;
}

/** The limits of a run, side by side; what holds where a field is left empty stands below it. */
export function LimitFields({ task, draft, onDraft, priced }: LimitFieldsProps) {
  const words = useText();
  const text = words.newRun;
  const { count, duration } = words.common.format;
  const typed = readDraft(draft, priced);
  const says = (limit: string | undefined) => (limit === undefined ? text.noLimit : text.emptyIs(limit));
  const training = task?.limits.maxTrainingMs ?? null;
  const empty: Record<keyof LimitDraft, string> = {
    steps: says(task && count(task.limits.maxSteps)),
    hours: says(task && duration(task.limits.maxWorkingMs)),
    evals: says(task && count(task.limits.maxEvals)),
    training: says(training === null ? undefined : duration(training)),
    tokens: text.noLimit,
    cost: priced ? text.noLimit : text.needsPrice,
  };
  const fields = ['steps', 'hours', 'evals', 'training', 'tokens', 'cost'] as const;
  return (
    <div className="form-line">
      <span className="form-label">{text.limits}</span>
      <div className="limit-grid">
        {fields.map((field) => (
          <LineField
            key={field}
            label={text.limitNames[field]}
            help={empty[field]}
            error={typed[field] === false ? (field === 'evals' ? text.notWhole : text.notANumber) : null}
            inputMode={field === 'hours' || field === 'training' || field === 'cost' ? 'decimal' : 'numeric'}
            disabled={field === 'cost' && !priced}
            value={field === 'cost' && !priced ? '' : draft[field]}
            onValue={(value) => onDraft({ ...draft, [field]: value })}
          />
        ))}
      </div>
      {task !== undefined && task.maxScore < 100 && (
        <div className="form-help">{text.mostPoints(count(task.maxScore))}</div>
      )}
    </div>
  );
}
