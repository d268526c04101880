import type { CommandInput } from '@shared/contract/ipc';

const hourMs = 3_600_000;

/** A whole number from 0 on; null for an empty field, false for anything else. */
export function wholeNumberIn(field: string): number | null | false {
  const typed = field.trim().replaceAll(',', '');
  if (typed === '') return null;
  return /^\d+$/.test(typed) && Number.isSafeInteger(Number(typed)) ? Number(typed) : false;
}

/** A number above 0; null for an empty field, false for anything else. */
export function numberIn(field: string): number | null | false {
  const typed = field.trim().replaceAll(',', '');
  if (typed === '') return null;
  const value = Number(typed);
  return Number.isFinite(value) && value > 0 ? value : false;
}

/** The limits as they are typed: working hours of the run and of one training, tries (0 = none but the final one), money. */
export const noLimits = { steps: '', hours: '', evals: '', training: '', tokens: '', cost: '' };
export type LimitDraft = typeof noLimits;

/** What each field holds. Money counts only where the model is `priced`. */
export function readDraft(
  draft: LimitDraft,
  priced: boolean,
): Record<keyof LimitDraft, number | null | false> {
  return {
    steps: numberIn(draft.steps),
    hours: numberIn(draft.hours),
    evals: wholeNumberIn(draft.evals),
    training: numberIn(draft.training),
    tokens: numberIn(draft.tokens),
    cost: priced ? numberIn(draft.cost) : null,
  };
}

type Limits = Pick<
  CommandInput<'runs.start'>,
  'maxSteps' | 'maxWorkingMs' | 'maxEvals' | 'maxTrainingMs' | 'maxTokens' | 'maxCost'
>;

/** The limits a run is started with; an empty field leaves that limit to the task. Null while one is no number. */
export function limitsOf(draft: LimitDraft, priced: boolean): Limits | null {
  const { steps, hours, evals, training, tokens, cost } = readDraft(draft, priced);
  if (steps === false || hours === false || evals === false) return null;
  if (training === false || tokens === false || cost === false) return null;
  const ms = (value: number) => Math.max(1, Math.round(value * hourMs));
  return {
    ...(steps === null ? {} : { maxSteps: Math.max(1, Math.round(steps)) }),
    ...(hours === null ? {} : { maxWorkingMs: ms(hours) }),
    ...(evals === null ? {} : { maxEvals: evals }),
    ...(training === null ? {} : { maxTrainingMs: ms(training) }),
    ...(tokens === null ? {} : { maxTokens: Math.max(1, Math.round(tokens)) }),
    ...(cost === null ? {} : { maxCost: cost }),
  };
}
