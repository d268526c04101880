import type { LabelValue } from '../../log/annotations';

/** How often two people (or a person and the machines) said the same, over the steps both decided. */
export interface Agreement {
  /** Steps both decided. */
  n: number;
  same: number;
  /** Share of equal decisions; null without a common step. */
  raw: number | null;
  /**
   * Cohen's kappa: agreement beyond what their habits alone would give, at most 1. Null where it has no value: fewer than two
   * common steps, or both always said the same one thing.
   */
  kappa: number | null;
}

/** Steps by what the first and the second said. */
export interface PairTable {
  trainTrain: number;
  trainMask: number;
  maskTrain: number;
  maskMask: number;
}

export function emptyTable(): PairTable {
  return { trainTrain: 0, trainMask: 0, maskTrain: 0, maskMask: 0 };
}

export function addPair(table: PairTable, first: LabelValue, second: LabelValue, steps = 1): void {
  if (first === 'train') table[second === 'train' ? 'trainTrain' : 'trainMask'] += steps;
  else table[second === 'train' ? 'maskTrain' : 'maskMask'] += steps;
}

/** Cohen 1960: (observed − expected) / (1 − expected). */
export function agreementOf({ trainTrain, trainMask, maskTrain, maskMask }: PairTable): Agreement {
  const n = trainTrain + trainMask + maskTrain + maskMask;
  const same = trainTrain + maskMask;
  if (n === 0) return { n, same, raw: null, kappa: null };
  // In whole numbers as long as possible: equal habits must give exactly 1 or no value, not a rounding of it.
  const expected =
    (trainTrain + trainMask) * (trainTrain + maskTrain) + (maskTrain + maskMask) * (trainMask + maskMask);
  const kappa = n < 2 || expected === n * n ? null : (same * n - expected) / (n * n - expected);
  return { n, same, raw: same / n, kappa };
}

/** What people said about one step, and of how many steps that is true. */
export interface Ratings {
  train: number;
  mask: number;
  steps: number;
}

/**
 * Fleiss' kappa over the steps that at least two people decided; their number may differ from step to step, each step then
 * counts once. Null as for two.
 */
export function fleissKappa(ratings: readonly Ratings[]): number | null {
  let steps = 0;
  let observed = 0;
  let said = 0;
  let train = 0;
  for (const rating of ratings) {
    const people = rating.train + rating.mask;
    if (people < 2 || rating.steps <= 0) continue;
    const pairs = rating.train * (rating.train - 1) + rating.mask * (rating.mask - 1);
    steps += rating.steps;
    observed += (rating.steps * pairs) / (people * (people - 1));
    said += rating.steps * people;
    train += rating.steps * rating.train;
  }
  if (steps < 2 || train === 0 || train === said) return null;
  const share = train / said;
  const expected = share * share + (1 - share) * (1 - share);
  return (observed / steps - expected) / (1 - expected);
}

/** Mean of the kappas that have a value, each pair once; null without any. */
export function meanKappa(pairs: readonly Agreement[]): number | null {
  const known = pairs.flatMap(({ kappa }) => (kappa === null ? [] : [kappa]));
  return known.length === 0 ? null : known.reduce((sum, kappa) => sum + kappa, 0) / known.length;
}
