/** Lists of step numbers, ascending and without doubles. */

/** The place of the first one not below `step`. */
export function indexFrom(sorted: readonly number[], step: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < step) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many lie in `from..to`. */
export function countIn(sorted: readonly number[], from: number, to: number): number {
  return indexFrom(sorted, to + 1) - indexFrom(sorted, from);
}

/** Both lists in one; the first itself when the second adds nothing. */
export function unionOf(one: readonly number[], other: readonly number[]): readonly number[] {
  if (other.every((step) => one[indexFrom(one, step)] === step)) return one;
  const all: number[] = [];
  let left = 0;
  let right = 0;
  while (left < one.length || right < other.length) {
    const a = one[left] ?? Number.POSITIVE_INFINITY;
    const b = other[right] ?? Number.POSITIVE_INFINITY;
    all.push(Math.min(a, b));
    if (a <= b) left += 1;
    if (b <= a) right += 1;
  }
  return all;
}
