import { fleissKappa, type PairTable } from '../agreement';

/** How often two people (or a person and the machines) said the same, over the steps both decided. */
export interface Agreement {
  /** Steps both decided. */
  n: number;
  same: number;
  /** Share of equal decisions; null without a common step. */
  raw: number | null;
  /** Cohen's kappa (`PairTable.kappa`), at most 1. Null for fewer than two common steps, and where both always said the same one thing. */
  kappa: number | null;
}

export function agreementOf(table: PairTable): Agreement {
  const { n, same } = table;
  return { n, same, raw: n === 0 ? null : same / n, kappa: n < 2 ? null : (table.kappa()?.value ?? null) };
}

/** What people said about one step, and of how many steps that is true. */
export interface Ratings {
  train: number;
  mask: number;
  steps: number;
}

/** Fleiss' kappa over the steps that at least two people decided; null as for two. */
export function kappaOfAll(ratings: readonly Ratings[]): number | null {
  const found = fleissKappa(
    ratings.map(({ train, mask }) => [train, mask]),
    ratings.map(({ steps }) => steps),
  );
  return found === null || found.n < 2 ? null : found.value;
}

/** Mean of the kappas that have a value, each pair once; null without any. */
export function meanKappa(pairs: readonly Agreement[]): number | null {
  const known = pairs.flatMap(({ kappa }) => (kappa === null ? [] : [kappa]));
  return known.length === 0 ? null : known.reduce((sum, kappa) => sum + kappa, 0) / known.length;
}
