import type { StepHead, Tile } from '@shared/contract/views';

/** What a stretch of the run holds, for one band of the minimap. Shares are 0 to 1. */
export interface Band {
  /** First and last step, 1-based. */
  from: number;
  to: number;
  mask: number;
  undecided: number;
}

export interface ScorePoint {
  step: number;
  score: number;
}

export interface MinimapMarks {
  /** Only stretches with something to show, in order. */
  bands: Band[];
  /** Steps that carry a hint or failed; of a long run the middle of a stretch that has some. */
  hints: number[];
  errors: number[];
  scores: ScorePoint[];
}

/** Runs up to this length are drawn step by step, longer ones from the 64-step tiles. */
export const EXACT_STEPS = 1200;

/**
 * Only exceptions are drawn: masks, undecided steps, hints, errors; and the score.
 *
 * @param lines Bands that can be told apart: the height of the minimap in px. Tiles that share one are added up.
 */
export function minimapMarks(
  steps: number,
  tiles: readonly Tile[],
  headOf: (step: number) => StepHead | undefined,
  lines: number,
): MinimapMarks {
  const result: MinimapMarks = { bands: [], hints: [], errors: [], scores: [] };
  const perLine = steps / Math.max(1, lines);
  let sum: Tile | null = null;
  for (const tile of tiles) {
    const last = Math.min(tile.first + tile.n - 1, steps);
    if (steps <= EXACT_STEPS && addExact(result, tile.first, last, headOf)) continue;
    if (tile.score !== null) result.scores.push({ step: tile.first + tile.n / 2, score: tile.score });
    sum = sum === null ? tile : added(sum, tile);
    if (sum.n < perLine) continue;
    addTile(result, sum);
    sum = null;
  }
  if (sum !== null) addTile(result, sum);
  return result;
}

/** @returns false, leaving the result alone, when a head of the tile has not been read. */
function addExact(
  result: MinimapMarks,
  from: number,
  to: number,
  headOf: (step: number) => StepHead | undefined,
): boolean {
  const heads: StepHead[] = [];
  for (let step = from; step <= to; step++) {
    const head = headOf(step);
    if (head === undefined) return false;
    heads.push(head);
  }
  for (const head of heads) {
    const { step, label, done } = head;
    if (label.value === 'mask') push(result.bands, { from: step, to: step, mask: 1, undecided: 0 });
    if (label.value === null && done) push(result.bands, { from: step, to: step, mask: 0, undecided: 1 });
    if (!head.ok || (head.exitCode !== null && head.exitCode !== 0)) result.errors.push(step);
    if (head.after.some((note) => note.kind === 'hint')) result.hints.push(step);
    if (head.score !== null) result.scores.push({ step, score: head.score });
  }
  return true;
}

/** Neighbours that look alike are one band. */
function push(bands: Band[], band: Band): void {
  const last = bands.at(-1);
  const alike = last?.mask === band.mask && last.undecided === band.undecided;
  if (last !== undefined && alike && last.to === band.from - 1) last.to = band.to;
  else bands.push(band);
}

function added(one: Tile, other: Tile): Tile {
  return {
    first: one.first,
    n: one.n + other.n,
    train: one.train + other.train,
    mask: one.mask + other.mask,
    undecided: one.undecided + other.undecided,
    hints: one.hints + other.hints,
    errors: one.errors + other.errors,
    score: other.score ?? one.score,
  };
}

/** A tile knows counts, not places: it is one band, as wide as its shares, with its marks in the middle. */
function addTile(result: MinimapMarks, { first, n, mask, undecided, hints, errors }: Tile): void {
  const middle = first + n / 2;
  if (mask + undecided > 0) {
    push(result.bands, { from: first, to: first + n - 1, mask: mask / n, undecided: undecided / n });
  }
  if (hints > 0) result.hints.push(middle);
  if (errors > 0) result.errors.push(middle);
}

/** The step at a share (0 to 1) of the minimap's height; a step is at most as high as `row` px. */
export function stepAtShare(share: number, steps: number, height: number, row: number): number {
  const unit = Math.min(height / Math.max(1, steps), row);
  return Math.min(Math.max(1, Math.floor((share * height) / unit) + 1), Math.max(1, steps));
}
