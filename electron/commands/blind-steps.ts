import type { Author } from '@shared/log/annotations';
import type { Store } from '../store/api';

/**
 * Which steps of a run a person still has to decide without seeing what others say, for what is no read of the store and tells it
 * all the same: masks of datasets, tokens of rows.
 * @param to the last step that is asked about; absent: all of them
 */
export async function hiddenSteps(
  reader: Pick<Store['reader'], 'withheld'>,
  run: string,
  person: Author,
  to = Number.MAX_SAFE_INTEGER,
): Promise<(step: number) => boolean> {
  const hidden = await reader.withheld(run, person, 1, to);
  return (step) => hidden?.steps.some((each) => step >= each.from && step <= each.to) ?? false;
}
