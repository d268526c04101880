import type { CommandInput } from '@shared/ipc';

const hourMs = 3_600_000;

/** A number above 0; null for an empty field, false for anything else. */
export function numberIn(field: string): number | null | false {
  const typed = field.trim().replaceAll(',', '');
  if (typed === '') return null;
  const value = Number(typed);
  return Number.isFinite(value) && value > 0 ? value : false;
}

export interface TypedLimits {
  maxSteps: number | null | false;
  maxHours: number | null | false;
  maxTokens: number | null | false;
  /** In the currency of the price table. */
  maxCost: number | null | false;
}

/** The limits a run is started with; an empty field leaves that limit to the task. Null while one is no number. */
export function limitsOf({
  maxSteps,
  maxHours,
  maxTokens,
  maxCost,
}: TypedLimits): Pick<
  CommandInput<'runs.start'>,
  'maxSteps' | 'maxWorkingMs' | 'maxTokens' | 'maxCost'
> | null {
  if (maxSteps === false || maxHours === false || maxTokens === false || maxCost === false) return null;
  return {
    ...(maxSteps === null ? {} : { maxSteps: Math.max(1, Math.round(maxSteps)) }),
    ...(maxHours === null ? {} : { maxWorkingMs: Math.max(1, Math.round(maxHours * hourMs)) }),
    ...(maxTokens === null ? {} : { maxTokens: Math.max(1, Math.round(maxTokens)) }),
    ...(maxCost === null ? {} : { maxCost }),
  };
}
