import { joined, type StepRange } from '@shared/annotations';

/**
 * The pieces of `from..to` that a filtered list shows: a decision must not go to steps that the person does not see. `found` are
 * the shown steps, ascending; null = all are shown.
 */
export function shownRanges(from: number, to: number, found: readonly number[] | null): StepRange[] {
  if (found === null) return [{ from, to }];
  return joined(found.filter((step) => from <= step && step <= to).map((step) => ({ from: step, to: step })));
}
