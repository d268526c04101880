/** What of a run is needed to set it beside another: its length, and its scores in order. */
export interface ScoredRun {
  steps: number;
  scores: readonly { step: number; score: number }[];
}

/** Steps of one run, `from` to `to`; none where `to` is below `from`. */
export interface StepSpan {
  from: number;
  to: number;
}

/** What both runs did to come from one score to the next that both reached. */
export interface Band {
  /** The score that both have with the last steps of the band; null: what they did after the last score that both reached. */
  reaches: number | null;
  a: StepSpan;
  b: StepSpan;
}

/** Step beside step of the same number, in one band. */
export function bandByStep(a: ScoredRun, b: ScoredRun): Band[] {
  return [{ reaches: null, a: { from: 1, to: a.steps }, b: { from: 1, to: b.steps } }];
}

/**
 * The runs in bands of equal score: a band ends, in each run, with the step that first reached a score that the other run reached
 * as well. Scores that neither needed a step of its own for are one band, named by the highest.
 */
export function bandsByScore(a: ScoredRun, b: ScoredRun): Band[] {
  const bands: Band[] = [];
  let [doneA, doneB] = [0, 0];
  for (const level of commonLevels(a, b)) {
    const [atA, atB] = [stepOf(a, level), stepOf(b, level)];
    const last = bands.at(-1);
    if (atA === doneA && atB === doneB && last !== undefined) {
      last.reaches = level;
      continue;
    }
    bands.push({ reaches: level, a: { from: doneA + 1, to: atA }, b: { from: doneB + 1, to: atB } });
    [doneA, doneB] = [atA, atB];
  }
  if (doneA < a.steps || doneB < b.steps || bands.length === 0) {
    bands.push({ reaches: null, a: { from: doneA + 1, to: a.steps }, b: { from: doneB + 1, to: b.steps } });
  }
  return bands;
}

/** New best scores of either run that the other reached as well, ascending. */
function commonLevels(a: ScoredRun, b: ScoredRun): number[] {
  const reach = Math.min(bestOf(a), bestOf(b));
  const levels = new Set<number>();
  for (const { scores } of [a, b]) {
    let best = Number.NEGATIVE_INFINITY;
    for (const { score } of scores) {
      if (score <= best) continue;
      best = score;
      if (score <= reach) levels.add(score);
    }
  }
  return [...levels].sort((one, other) => one - other);
}

function bestOf({ scores }: ScoredRun): number {
  return scores.reduce((best, { score }) => Math.max(best, score), Number.NEGATIVE_INFINITY);
}

/** The step whose score is the first at or above the level; a score before the first step stands at step 0. */
function stepOf({ scores }: ScoredRun, level: number): number {
  return scores.find(({ score }) => score >= level)?.step ?? 0;
}

/** One line of the comparison: the head of a band, or a step of either run beside one of the other. */
export type PairLine = { band: Band } | { a: number | null; b: number | null };

/** Lines of bands, without making them: how many there are, and which is at a place. `heads`: each band has a line of its own first. */
export function pairLines(bands: readonly Band[], heads: boolean) {
  const starts: number[] = [];
  let count = 0;
  for (const { a, b } of bands) {
    starts.push(count);
    count += Math.max(lengthOf(a), lengthOf(b)) + (heads ? 1 : 0);
  }
  return {
    count,
    at(index: number): PairLine | undefined {
      let nth = starts.length - 1;
      while ((starts[nth] ?? 0) > index) nth -= 1;
      const band = bands[nth];
      if (band === undefined || index >= count) return undefined;
      const inBand = index - (starts[nth] ?? 0) - (heads ? 1 : 0);
      if (inBand < 0) return { band };
      const step = (span: StepSpan) => (inBand < lengthOf(span) ? span.from + inBand : null);
      return { a: step(band.a), b: step(band.b) };
    },
  };
}

function lengthOf({ from, to }: StepSpan): number {
  return Math.max(0, to - from + 1);
}
