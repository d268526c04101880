/*
 * What m votes of a judge are worth (RLAnything, theorem 1): p₊ is how often a good step gets +1, p₋ how often a bad one gets −1.
 */

/** Probabilities of k successes in `m` trials, k = 0…m. */
function binomial(m: number, p: number): number[] {
  let row = [1];
  for (let trial = 0; trial < m; trial += 1) {
    const next = new Array<number>(row.length + 1).fill(0);
    for (const [k, probability] of row.entries()) {
      next[k] = (next[k] ?? 0) + probability * (1 - p);
      next[k + 1] = (next[k + 1] ?? 0) + probability * p;
    }
    row = next;
  }
  return row;
}

/**
 * The probability A that the votes on a good step sum to more than those on a bad one, `votes` on each, all independent.
 * @param plus p₊ @param minus p₋, both 0…1
 */
export function separation(plus: number, minus: number, votes: number): number {
  const good = binomial(votes, plus);
  const bad = binomial(votes, 1 - minus);
  let below = 0;
  let total = 0;
  for (const [k, probability] of good.entries()) {
    total += probability * below;
    below += bad[k] ?? 0;
  }
  return total;
}

/** Theorem 1: A is at least 1 − e^(−m(μ−1)²/4) for μ = p₊ + p₋ > 1; null for a judge that is no better than chance. */
export function separationBound(plus: number, minus: number, votes: number): number | null {
  const mu = plus + minus;
  return mu > 1 ? 1 - Math.exp((-votes * (mu - 1) ** 2) / 4) : null;
}
