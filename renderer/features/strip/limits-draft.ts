import type { RunSummary } from '@shared/contract/views';
import type { LimitsChange } from '@shared/log/outbox';

/** Limits as typed: hours for working time, empty for no limit of one training, tokens and money. */
export interface LimitsDraft {
  steps: string;
  hours: string;
  evals: string;
  /** Hours that one training may take. */
  training: string;
  tokens: string;
  cost: string;
}
export type LimitField = keyof LimitsDraft;

const hourMs = 3_600_000;

type Limited = Pick<
  RunSummary,
  'maxSteps' | 'maxWorkingMs' | 'maxTrainingMs' | 'scores' | 'maxTokens' | 'maxCost'
>;

export function limitsDraftOf(run: Limited): LimitsDraft {
  return {
    steps: String(run.maxSteps),
    hours: hoursOf(run.maxWorkingMs),
    evals: String(run.scores.maxTries),
    training: run.maxTrainingMs === undefined ? '' : hoursOf(run.maxTrainingMs),
    tokens: run.maxTokens === null ? '' : String(run.maxTokens),
    cost: run.maxCost === null ? '' : String(run.maxCost),
  };
}

const hoursOf = (ms: number) => String(Math.round((ms / hourMs) * 100) / 100);

/** What of the limits was changed, or the fields that hold no limit. Fields left as they were are not sent. */
export function readLimits(
  run: Limited,
  draft: LimitsDraft,
): { ok: true; change: LimitsChange } | { ok: false; wrong: ReadonlySet<LimitField> } {
  const before = limitsDraftOf(run);
  const wrong = new Set<LimitField>();
  const changed = (field: LimitField): boolean => draft[field].trim() !== before[field];
  function number(field: LimitField, from: number, whole: boolean): number {
    const typed = draft[field].trim().replaceAll(',', '');
    const value = Number(typed);
    if (typed === '' || !Number.isFinite(value) || value < from || (whole && !Number.isInteger(value)))
      wrong.add(field);
    return value;
  }
  const change: LimitsChange = {};
  if (changed('steps')) change.maxSteps = number('steps', 1, true);
  const ms = (field: LimitField) => Math.round(number(field, 1 / 3600, false) * hourMs);
  if (changed('hours')) change.maxWorkingMs = ms('hours');
  if (changed('training')) change.maxTrainingMs = draft.training.trim() === '' ? null : ms('training');
  if (changed('evals')) change.maxEvals = number('evals', 0, true);
  if (changed('tokens')) change.maxTokens = draft.tokens.trim() === '' ? null : number('tokens', 1, true);
  if (changed('cost')) change.maxCost = draft.cost.trim() === '' ? null : number('cost', 0.01, false);
  return wrong.size > 0 ? { ok: false, wrong } : { ok: true, change };
}
