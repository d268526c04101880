import type { Estimate } from '@shared/labels/agreement';
import type { RubricDrift } from '@shared/labels/rubric-drift';

const whole = (share: number) => (100 * share).toFixed(0);

/** A share in per cent with its interval and n. */
export const percent = (estimate: Estimate | null) =>
  estimate === null
    ? 'unknown'
    : `${whole(estimate.value)} % (${whole(estimate.low)} to ${whole(estimate.high)} %, n = ${estimate.n})`;

/** Precision and recall of a judge's masks against those of `whose`, before another rubric and after. */
export function driftCells(
  { precision, recall }: Pick<RubricDrift, 'precision' | 'recall'>,
  whose = 'people’s',
): string[][] {
  return [
    ['of its masks', `right ${percent(precision.before)} before, ${percent(precision.after)} after`],
    [`of ${whose} masks`, `found ${percent(recall.before)} before, ${percent(recall.after)} after`],
  ];
}
