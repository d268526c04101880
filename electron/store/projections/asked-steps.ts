import type { StepQuery } from '@shared/contract/step-query';
import type { AskedSteps } from '../queries/read-matches';

/** Asks the search index what a query's `text` finds in a run; a query without text needs no index. */
export async function askIndex(
  stepsMatching: (run: string, text: string) => Promise<number[]>,
  run: string,
  query: StepQuery,
): Promise<AskedSteps> {
  const text = query.text?.trim() ?? '';
  return { query, found: text === '' ? null : await stepsMatching(run, text) };
}
