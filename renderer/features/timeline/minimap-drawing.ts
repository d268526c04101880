import type { MinimapMarks } from './minimap';
import { ROW } from './row-layout';

export const MINIMAP_WIDTH = 44;
/** Marks of one kind closer together than this would be one bar, px. */
const APART = 5;

/**
 * Draws the whole run in one pass; a few hundred rectangles however long it is.
 *
 * @param borders First steps of the segments after the first.
 */
export function drawMinimap(
  canvas: HTMLCanvasElement,
  height: number,
  steps: number,
  marks: MinimapMarks,
  borders: readonly number[],
): void {
  const ratio = window.devicePixelRatio;
  canvas.width = MINIMAP_WIDTH * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext('2d');
  if (pen === null || steps === 0 || height === 0) return;
  pen.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  // A short run is not stretched over the whole height: a step is at most as high as a row.
  const unit = Math.min(height / steps, ROW);
  const y = (step: number): number => (step - 1) * unit;

  pen.fillStyle = colour('--line-strong');
  pen.fillRect(4, 0, 3, unit * steps);
  drawBands(pen, marks, y, unit, colour);
  drawPoints(pen, marks, y, unit, colour);
  pen.fillStyle = colour('--line-ctl');
  let drawn = -1;
  for (const border of borders) {
    const at = Math.round(y(border));
    if (at - drawn < 2) continue;
    pen.fillRect(0, at, MINIMAP_WIDTH, 1);
    drawn = at;
  }
  drawScores(pen, marks, y, unit * steps, unit, colour('--fg-3'));
}

type Colours = (name: string) => string;
type Places = (step: number) => number;

/** Masks as hatch, undecided steps as dots right of them, both as wide as their share. */
function drawBands(
  pen: CanvasRenderingContext2D,
  { bands }: MinimapMarks,
  y: Places,
  unit: number,
  colour: Colours,
): void {
  const hatch = pattern(pen, (tile) => {
    tile.strokeStyle = colour('--label-mask');
    tile.lineWidth = 1.5;
    tile.beginPath();
    for (const at of [-4, 0, 4]) {
      tile.moveTo(at, 4);
      tile.lineTo(at + 4, 0);
    }
    tile.stroke();
  });
  const dots = pattern(pen, (tile) => {
    tile.fillStyle = colour('--label-undecided');
    tile.fillRect(0, 0, 1.6, 1.6);
  });
  const ground = colour('--bg-panel');
  for (const { from, to, mask, undecided } of bands) {
    const top = y(from);
    const high = Math.max(1.5, (to - from + 1) * unit);
    pen.fillStyle = ground;
    pen.fillRect(4, top, 10, high);
    const left = mask > 0 ? Math.max(2, mask * 10) : 0;
    pen.fillStyle = hatch;
    pen.fillRect(4, top, left, high);
    if (undecided === 0) continue;
    pen.fillStyle = dots;
    pen.fillRect(4 + Math.min(left, 8), top, Math.max(2, Math.min(undecided * 10, 10 - left)), high);
  }
}

/** A tile of 4 px that is repeated; the device's own pixels, so that it is sharp. */
function pattern(
  pen: CanvasRenderingContext2D,
  draw: (tile: OffscreenCanvasRenderingContext2D) => void,
): CanvasPattern | string {
  const canvas = new OffscreenCanvas(4, 4);
  const tile = canvas.getContext('2d');
  if (tile === null) return 'currentColor';
  draw(tile);
  return pen.createPattern(canvas, 'repeat') ?? 'currentColor';
}

function drawPoints(
  pen: CanvasRenderingContext2D,
  { hints, errors }: MinimapMarks,
  y: Places,
  unit: number,
  colour: Colours,
): void {
  pen.fillStyle = colour('--label-hint');
  for (const middle of spread(hints, y, unit)) pen.fillRect(18, middle - 1.5, 8, 3);
  pen.strokeStyle = colour('--danger');
  pen.lineWidth = 1;
  pen.beginPath();
  for (const middle of spread(errors, y, unit)) {
    pen.moveTo(20, middle - 2);
    pen.lineTo(24, middle + 2);
    pen.moveTo(24, middle - 2);
    pen.lineTo(20, middle + 2);
  }
  pen.stroke();
}

/** Where the marks stand, px; of those that would touch only the first. */
function spread(steps: readonly number[], y: Places, unit: number): number[] {
  const places: number[] = [];
  for (const step of steps) {
    const middle = y(step) + unit / 2;
    if (middle >= (places.at(-1) ?? Number.NEGATIVE_INFINITY) + APART) places.push(middle);
  }
  return places;
}

function drawScores(
  pen: CanvasRenderingContext2D,
  { scores }: MinimapMarks,
  y: Places,
  end: number,
  unit: number,
  colour: string,
): void {
  if (scores.length === 0) return;
  const best = scores.reduce((most, { score }) => Math.max(most, score), 100);
  pen.strokeStyle = colour;
  pen.lineWidth = 1.25;
  pen.beginPath();
  let x = 30;
  pen.moveTo(x, 0);
  for (const point of scores) {
    const at = y(point.step) + unit / 2;
    pen.lineTo(x, at);
    x = 30 + (point.score / best) * 11;
    pen.lineTo(x, at);
  }
  pen.lineTo(x, end);
  pen.stroke();
}
