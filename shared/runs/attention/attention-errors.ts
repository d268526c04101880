import type { EventOf, RunEvent } from '../../log/events';
import { over, raise } from './attention-items';
import type { AttentionState } from './attention-state';

/** So many failed steps in a row are a loop (product.md, rail: "error loop x5"). */
export const ERROR_STREAK = 5;
/** Failed steps named by an item. */
const MOST_STEPS = 20;

/** At most one failure counts per step, however many calls it made. */
export function foldObserved(state: AttentionState, event: EventOf<'action.observed'>): void {
  const { error, data, step } = event.body;
  const failed = error !== null || (typeof data.exitCode === 'number' && data.exitCode !== 0);
  if (!failed || state.errors.failed || step !== state.errors.step) return;
  state.errors.failed = true;
  failedStep(state, event, error?.code ?? 'exit_code');
}

/** The step before is complete: one that went well ends the row. */
export function settleErrors(state: AttentionState): void {
  const { errors } = state;
  if (errors.failed || errors.step === 0) return;
  if (errors.count >= ERROR_STREAK) over(state, 'error_streak', `${errors.steps[0]}`);
  Object.assign(errors, { steps: [], count: 0, code: '' });
}

export function failedStep(state: AttentionState, event: RunEvent, code: string): void {
  const { errors } = state;
  errors.count += 1;
  errors.code = code;
  // The first step stays: it names the row.
  errors.steps = [
    ...errors.steps.slice(0, 1),
    ...errors.steps.slice(1).slice(-(MOST_STEPS - 2)),
    errors.step,
  ];
  if (errors.count < ERROR_STREAK) return;
  raise(state, event, 'error_streak', `${errors.steps[0]}`, {
    step: errors.step,
    steps: errors.steps,
    facts: { count: errors.count, code },
  });
}
