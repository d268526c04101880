/** One figure against its bar. `value` and `baseline` share `unit` unless `value` is a ratio. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  bar: string;
  ok: boolean;
  baseline: number | null;
  /** Everything measured, for the reader: medians, p95, sizes. */
  detail: string;
}

export interface Bench {
  name: string;
  /** What is measured against what, one line. */
  about: string;
  run(options: BenchOptions): Promise<Figure[]>;
}

export interface BenchOptions {
  /** The large numbers. */
  long: boolean;
  /** Fresh folder below the system's temporary folder, removed afterwards. */
  folder: string;
  say(line: string): void;
}

/** `WAYMARK_BENCH_QUICK=1`: fewer rounds and smaller numbers, to see that the benches work. No figure of it counts. */
export const quick = process.env.WAYMARK_BENCH_QUICK === '1';

/** How often each side of a comparison runs, alternately. */
export const rounds = quick ? 2 : 5;

/** Picks a size: quick, usual, `--long`. */
export function size(
  options: Pick<BenchOptions, 'long'>,
  usual: number,
  long: number,
  small: number,
): number {
  if (quick) return small;
  return options.long ? long : usual;
}

/** The `q` quantile (0..1) by nearest rank. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export interface Sides {
  baseline: number[];
  ours: number[];
}

/** Runs baseline and ours in turn, `rounds` times each, in one process run. */
export async function alternate(
  baseline: (round: number) => Promise<number> | number,
  ours: (round: number) => Promise<number> | number,
): Promise<Sides> {
  const result: Sides = { baseline: [], ours: [] };
  for (let round = 0; round < rounds; round += 1) {
    result.baseline.push(await baseline(round));
    result.ours.push(await ours(round));
  }
  return result;
}

/** A bar as data: at least or at most this much. */
export interface Bar {
  is: '≥' | '≤';
  value: number;
}

/** The figure for a bar; `detail` explains where the value comes from. */
export function figure(
  name: string,
  value: number,
  unit: string,
  bar: Bar,
  rest: { baseline?: number | null; detail: string },
): Figure {
  const ok = bar.is === '≥' ? value >= bar.value : value <= bar.value;
  const text = `${bar.is} ${bar.value} ${unit}`;
  return { name, value, unit, bar: text, ok, baseline: rest.baseline ?? null, detail: rest.detail };
}

/** The 95th percentile of times, ms, that are to be within `most`; `about`: what was measured, and how often. */
export function latency(
  name: string,
  times: readonly number[],
  most: number,
  about: string,
  baseline: number | null = null,
): Figure {
  const detail = `p95; ${spread(times)} ms, ${about}`;
  return figure(name, quantile(times, 0.95), 'ms', { is: '≤', value: most }, { baseline, detail });
}

/** A figure without a bar: told, never failed. */
export function told(
  name: string,
  value: number,
  unit: string,
  rest: { baseline?: number | null; detail: string },
): Figure {
  return { name, value, unit, bar: 'none', ok: true, baseline: rest.baseline ?? null, detail: rest.detail };
}

/**
 * Ours over baseline: the median of the rounds' ratios, because the sides of a round ran next to each other. The
 * baseline's median is in `unit`.
 */
export function ratio(name: string, sides: Sides, unit: string, bar: Bar | null, extra = ''): Figure {
  const baseline = median(sides.baseline);
  const value = median(ratios(sides));
  const detail = `${describe(sides, unit)}${extra === '' ? '' : `; ${extra}`}`;
  return bar === null
    ? told(name, value, '×', { baseline, detail })
    : figure(name, value, '×', bar, { baseline, detail });
}

function ratios({ ours, baseline }: Sides): number[] {
  return ours.map((value, round) => value / (baseline[round] ?? Number.NaN));
}

/** Median and p95 of both sides, and every round's ratio. */
export function describe(sides: Sides, unit: string): string {
  return `ours ${spread(sides.ours)} ${unit}, baseline ${spread(sides.baseline)} ${unit}, ratio ${byRound(ratios(sides))}`;
}

/** `median (p95), by round …`. */
export function byRound(values: readonly number[]): string {
  return `${spread(values)}, by round ${values.map(shorten).join(' ')}`;
}

/** `median (p95)`. */
export function spread(values: readonly number[]): string {
  return `${shorten(median(values))} (p95 ${shorten(quantile(values, 0.95))})`;
}

export function shorten(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
