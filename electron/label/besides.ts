import type { EventBody } from '@shared/log/events';
import { runsProgram } from './copies';
import { isBlind } from './file-sight';
import type { EventFacts } from './rule';

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
