import type { EventBody } from '@shared/log/events';
import { runsProgram } from './copies';
import { isBlind } from './file-edit';
import type { EventFacts, Finding } from './rule';

/** The calls of one answer, taken together: a keep lifts the masks of the whole step, so no call of it may speak against it. */
export class StepKeep {
  private finding: Finding | null = null;
  private against = false;

  /** What one call says: a finding, nothing, or that the step must not be kept. Returns the step's finding with its last call. */
  take(said: Finding | 'nothing' | 'against', { last }: Pick<EventFacts, 'last'>): Finding[] {
    if (said === 'against') this.against = true;
    else if (said !== 'nothing') this.finding ??= said;
    if (!last) return [];
    const found = this.finding !== null && !this.against ? [this.finding] : [];
    this.finding = null;
    this.against = false;
    return found;
  }
}

/**
 * Whether a call is a reason not to keep its step for the sake of another call in the same answer: it failed, changed a
 * file blindly, ran a program, or ended the run. Looks, thoughts, copies and changes that were looked into are none.
 */
export function speaksAgainst(
  { error, name, data }: EventBody<'action.observed'>,
  { command, edits }: EventFacts,
): boolean {
  if (error !== null || name === 'finish' || edits.some(isBlind)) return true;
  if (command === null) return false;
  return (typeof data.exitCode === 'number' && data.exitCode !== 0) || runsProgram(command);
}
