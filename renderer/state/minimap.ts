import type { StepHead, Tile } from '@shared/views';

export type MarkKind = 'mask' | 'undecided' | 'hint' | 'error';

/** A mark on the minimap over steps `from..to` (1-based, may be fractional), or a point of the score line. */
export interface Mark {
  kind: MarkKind;
  from: number;
  to: number;
}
export interface ScorePoint {
  step: number;
  score: number;
}
export interface MinimapMarks {
  marks: Mark[];
  scores: ScorePoint[];
}

/** Runs up to this length are drawn step by step, longer ones from the 64-step tiles. */
export const EXACT_STEPS = 1200;

/** Only exceptions are drawn: masks, undecided steps, hints, errors; and the score. */
export function minimapMarks(
  steps: number,
  tiles: readonly Tile[],
  headOf: (step: number) => StepHead | undefined,
): MinimapMarks {
  const result: MinimapMarks = { marks: [], scores: [] };
  for (const tile of tiles) {
    const last = tile.first + tile.n - 1;
    if (steps > EXACT_STEPS || !addExact(result, tile.first, Math.min(last, steps), headOf))
      addTile(result, tile);
  }
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
    if (head.label.value === 'mask') push(result.marks, 'mask', head.step);
    if (head.label.value === null && head.done) push(result.marks, 'undecided', head.step);
    if (!head.ok || (head.exitCode !== null && head.exitCode !== 0)) push(result.marks, 'error', head.step);
    if (head.after.some((note) => note.kind === 'hint')) push(result.marks, 'hint', head.step);
    if (head.score !== null) result.scores.push({ step: head.step, score: head.score });
  }
  return true;
}

function push(marks: Mark[], kind: MarkKind, step: number): void {
  const last = marks.findLast((mark) => mark.kind === kind);
  if (last !== undefined && last.to === step - 1 && (kind === 'mask' || kind === 'undecided')) last.to = step;
  else marks.push({ kind, from: step, to: step });
}

/** A tile knows counts, not places: its marks fill their share from its top. */
function addTile(result: MinimapMarks, tile: Tile): void {
  const middle = tile.first + tile.n / 2;
  if (tile.mask > 0) result.marks.push({ kind: 'mask', from: tile.first, to: tile.first + tile.mask - 1 });
  if (tile.undecided > 0) {
    const from = tile.first + tile.mask;
    result.marks.push({ kind: 'undecided', from, to: from + tile.undecided - 1 });
  }
  if (tile.hints > 0) result.marks.push({ kind: 'hint', from: middle, to: middle });
  if (tile.errors > 0) result.marks.push({ kind: 'error', from: middle, to: middle });
  if (tile.score !== null) result.scores.push({ step: middle, score: tile.score });
}
