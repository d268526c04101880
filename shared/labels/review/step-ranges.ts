import type { StepRange } from '../../contract/step-range';

/** How many steps joined ranges hold. */
export function stepsIn(ranges: readonly StepRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
}

/** What two lists of joined ranges have in common. */
export function common(a: readonly StepRange[], b: readonly StepRange[]): StepRange[] {
  const result: StepRange[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const left = a[i];
    const right = b[j];
    if (left === undefined || right === undefined) break;
    const from = Math.max(left.from, right.from);
    const to = Math.min(left.to, right.to);
    if (from <= to) result.push({ from, to });
    if (left.to < right.to) i += 1;
    else j += 1;
  }
  return result;
}

/** Joined ranges without the steps of others. */
export function without(ranges: readonly StepRange[], taken: readonly StepRange[]): StepRange[] {
  const result: StepRange[] = [];
  let at = 0;
  for (const range of ranges) {
    let { from } = range;
    for (; at < taken.length; at += 1) {
      const hole = taken[at];
      if (hole === undefined || hole.from > range.to) break;
      if (hole.to < from) continue;
      if (hole.from > from) result.push({ from, to: hole.from - 1 });
      from = Math.max(from, hole.to + 1);
      // The next range may begin inside the same hole.
      if (hole.to >= range.to) break;
    }
    if (from <= range.to) result.push({ from, to: range.to });
  }
  return result;
}

/** Whether one of joined ranges holds the step. */
export function holds(ranges: readonly StepRange[], step: number): boolean {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (range === undefined) return false;
    if (step < range.from) high = middle - 1;
    else if (step > range.to) low = middle + 1;
    else return true;
  }
  return false;
}
