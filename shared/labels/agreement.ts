/*
 * How far opinions on the same steps agree. Every figure says how many it rests on; with none there is no figure.
 */

/** A figure, what it rests on, and the interval that holds it in 95 of 100 samples. */
export interface Estimate {
  value: number;
  n: number;
  low: number;
  high: number;
}

/** Two-sided, 95 %. */
const Z = 1.959964;

const within = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

/** A share of `n` with Wilson's score interval; null of nothing. */
export function shareOf(part: number, n: number): Estimate | null {
  if (n === 0) return null;
  const value = part / n;
  const z2 = (Z * Z) / n;
  const middle = (value + z2 / 2) / (1 + z2);
  const half = (Z * Math.sqrt((value * (1 - value) + z2 / 4) / n)) / (1 + z2);
  return { value, n, low: within(middle - half, 0, 1), high: within(middle + half, 0, 1) };
}

/** How often two raters each said what of the same items. */
export class PairTable {
  private readonly cells = new Map<string, { one: string; other: string; count: number }>();
  n = 0;

  /** `items`: of how many it is true. */
  add(one: string, other: string, items = 1): void {
    const key = JSON.stringify([one, other]);
    const cell = this.cells.get(key) ?? { one, other, count: 0 };
    cell.count += items;
    this.cells.set(key, cell);
    this.n += items;
  }

  count(one: string, other: string): number {
    return this.cells.get(JSON.stringify([one, other]))?.count ?? 0;
  }

  /** Share of items of which both said the same. */
  raw(): Estimate | null {
    return shareOf(this.same, this.n);
  }

  /**
   * Cohen's κ (1960) with its large-sample interval, or as `beyondChance` says. Null without items, and where both said one and the
   * same of all of them: agreement by chance is then complete, and nothing can be beyond it.
   */
  kappa(): Estimate | null {
    const { n, same } = this;
    if (n === 0) return null;
    const ones = new Map<string, number>();
    const others = new Map<string, number>();
    for (const { one, other, count } of this.cells.values()) {
      ones.set(one, (ones.get(one) ?? 0) + count);
      others.set(other, (others.get(other) ?? 0) + count);
    }
    // In whole numbers as long as possible: equal habits must give exactly 1 or no value, not a rounding of it.
    let chance = 0;
    for (const [category, count] of ones) chance += count * (others.get(category) ?? 0);
    if (chance === n * n) return null;
    const expected = chance / (n * n);
    const observed = same / n;
    const error = Math.sqrt((observed * (1 - observed)) / n) / (1 - expected);
    const estimate = beyondChance(observed, expected, n, Z * error);
    return { ...estimate, value: (same * n - chance) / (n * n - chance) };
  }

  /** Items of which both said the same. */
  get same(): number {
    let same = 0;
    for (const { one, other, count } of this.cells.values()) if (one === other) same += count;
    return same;
  }
}

/**
 * Agreement beyond that by chance, `half` of its interval to each side. Where all items come to the same the sample shows no spread,
 * and two of them would be as sure as a thousand: Wilson's interval of the observed agreement takes its place.
 */
function beyondChance(observed: number, expected: number, n: number, half: number): Estimate {
  const of = (agreement: number) => (agreement - expected) / (1 - expected);
  const value = of(observed);
  const share = half < 1e-9 ? shareOf(observed * n, n) : null;
  const [low, high] = share === null ? [value - half, value + half] : [of(share.low), of(share.high)];
  return { value, n, low: within(low, -1, 1), high: within(high, -1, 1) };
}

/**
 * Fleiss' κ (1971) of any raters, as many as there are for each item; `items` holds how often each category was given, and `times` how
 * many items each of them stands for, 1 where it does not say. An item with fewer than two ratings says nothing of agreement and does
 * not count. The interval is by the jackknife over items, or as `beyondChance` says. Null without an item that counts, and where all
 * ratings are of one category.
 */
export function fleissKappa(
  items: Iterable<readonly number[]>,
  times: readonly number[] = [],
): Estimate | null {
  const rated = [...items]
    .map((counts, index) => ({ counts, times: times[index] ?? 1 }))
    .filter((item) => sum(item.counts) >= 2 && item.times > 0);
  const totals: number[] = [];
  let n = 0;
  let agreement = 0;
  for (const item of rated) {
    n += item.times;
    agreement += item.times * agreementIn(item.counts);
    for (const [category, count] of item.counts.entries())
      totals[category] = (totals[category] ?? 0) + item.times * count;
  }
  const expected = expectedOf(totals);
  if (n === 0 || expected >= 1) return null;
  const left: { value: number; times: number }[] = [];
  for (const item of rated) {
    const chance = expectedOf(totals.map((total, category) => total - (item.counts[category] ?? 0)));
    if (n === 1 || chance >= 1) continue;
    const without = (agreement - agreementIn(item.counts)) / (n - 1);
    left.push({ value: (without - chance) / (1 - chance), times: item.times });
  }
  const samples = sum(left.map((each) => each.times));
  const mean = sum(left.map((each) => each.times * each.value)) / samples;
  const squares = sum(left.map((each) => each.times * (each.value - mean) ** 2));
  const error = samples < 2 ? Number.NaN : Math.sqrt(((samples - 1) / samples) * squares);
  return beyondChance(agreement / n, expected, n, Number.isFinite(error) ? Z * error : 2);
}

/** Share of pairs of ratings of one item that are the same. */
function agreementIn(counts: readonly number[]): number {
  const ratings = sum(counts);
  return sum(counts.map((count) => count * (count - 1))) / (ratings * (ratings - 1));
}

/** Agreement by chance of ratings in these categories; 1 where there are none, or none but of one. */
function expectedOf(totals: readonly number[]): number {
  const ratings = sum(totals);
  return ratings === 0 ? 1 : sum(totals.map((total) => (total / ratings) ** 2));
}

const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);
