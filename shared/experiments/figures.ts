/** A mean with what it rests on. */
export interface Figure {
  /** Null: nothing to take the mean of, or one of the values is unknown and may not be left out. */
  mean: number | null;
  /** Sample standard deviation (n − 1); null for fewer than two values. */
  deviation: number | null;
  /** Values the mean rests on. */
  n: number;
  /** Values that are not known. */
  unknown: number;
}

/**
 * Mean and deviation of values, null standing for an unknown one. `unknown: 'spoils'` (money): one unknown value makes the mean
 * unknown. `'left out'` (scores): the mean is of the others, and `n` and `unknown` tell so.
 */
export function figureOf(values: readonly (number | null)[], unknown: 'spoils' | 'left out'): Figure {
  // Sorted, so that the sum does not depend on the order of runs.
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const n = known.length;
  const missing = values.length - n;
  if (n === 0 || (missing > 0 && unknown === 'spoils')) {
    return { mean: null, deviation: null, n, unknown: missing };
  }
  const mean = known.reduce((sum, value) => sum + value, 0) / n;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: n < 2 ? null : Math.sqrt(squares / (n - 1)), n, unknown: missing };
}
