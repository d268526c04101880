import type { StepQuery } from './step-query';

/** A query without any condition: every step. */
export function asksForAll(query: StepQuery): boolean {
  return Object.values(query).every((value) => value === undefined);
}
