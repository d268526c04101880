import type { RunSummary } from '@shared/contract/views';
import { useState } from 'react';
import { call } from '../../api';
import { ActionDialog } from '../../components/ActionDialog';
import { FormLine, TextField } from '../../components/Field';
import { budgetsOf } from '../../state/run/budgets';
import { refreshRun } from '../../state/run/runs';
import { usePricedEndpoint } from '../../state/settings';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { budgetWords } from './budget-words';
import { type LimitField, limitsDraftOf, readLimits } from './limits-draft';

const kindOf = {
  steps: 'steps',
  hours: 'time',
  evals: 'evals',
  tokens: 'tokens',
  cost: 'cost',
  /** Nothing of it is used up: each training has all of it. */
  training: null,
} as const;
const fields = ['steps', 'hours', 'evals', 'training', 'tokens', 'cost'] as const satisfies LimitField[];

/** Changes the limits of a run from its next step on; says what is used, and when a new limit is used already. */
export function LimitsDialog({ run, onClose }: { run: RunSummary; onClose: () => void }) {
  const text = useText();
  const words = text.runs;
  const [draft, setDraft] = useState(() => limitsDraftOf(run));
  const priced = usePricedEndpoint(run.endpoint);
  const budgets = budgetsOf(run);
  const read = readLimits(run, draft);
  const changed = read.ok && Object.keys(read.change).length > 0;
  const labels: Record<LimitField, string> = {
    steps: words.limitSteps,
    hours: words.limitHours,
    evals: words.limitEvals,
    training: words.limitTraining,
    tokens: words.limitTokens,
    cost: words.limitCost,
  };

  function save(): void {
    if (!read.ok || !changed) return;
    const { change } = read;
    onClose();
    attempt(async () => {
      await call('runs.setLimits', { run: run.id, limits: change });
      toast((now) => now.runs.limitsSaved);
      refreshRun(run.id);
    });
  }
  return (
    <ActionDialog
      title={words.limitsTitle}
      width="small"
      onClose={onClose}
      label={words.saveLimits}
      disabled={!changed}
      onDo={save}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <p className="soft text-12 dialog-lead">{words.limitsText}</p>
        {fields.map((field) => {
          const kind = kindOf[field];
          const budget = kind === null ? null : budgets[kind];
          const used = budget === null ? '' : budgetWords(budget, text).used;
          const off = field === 'cost' && !priced;
          const limit = draft[field].trim() === '' ? null : typedLimit(field, draft[field]);
          const below = limit !== null && budget !== null && limit <= budget.used && field !== 'evals';
          const warned = <span className="tone-attention">{words.limitBelow(used)}</span>;
          const optional = field === 'tokens' || field === 'cost';
          return (
            <FormLine
              key={field}
              label={labels[field]}
              help={
                off
                  ? words.limitNeedsPrice
                  : budget === null
                    ? words.limitTrainingHelp
                    : below
                      ? warned
                      : optional
                        ? words.limitUsedEmpty(used)
                        : words.limitUsed(used)
              }
              error={!read.ok && read.wrong.has(field) ? text.newRun.notANumber : null}
            >
              {({ id, describedBy, invalid }) => (
                <TextField
                  id={id}
                  inputMode="decimal"
                  aria-describedby={describedBy}
                  aria-invalid={invalid}
                  disabled={off && draft.cost === ''}
                  value={draft[field]}
                  onChange={(event) => setDraft({ ...draft, [field]: event.target.value })}
                />
              )}
            </FormLine>
          );
        })}
        <button type="submit" hidden />
      </form>
    </ActionDialog>
  );
}

/** A typed limit in the unit of its budget; not a number while it is none. */
function typedLimit(field: LimitField, typed: string): number {
  const value = Number(typed.replaceAll(',', ''));
  return field === 'hours' ? value * 3_600_000 : value;
}
