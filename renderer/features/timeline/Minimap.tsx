import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';
import { useDocumentTheme } from '../../state/document-theme';
import type { MinimapMarks } from '../../state/minimap';
import { minimapMarks } from '../../state/minimap';
import type { RowLayout } from '../../state/row-layout';
import { useSegments } from '../../state/segments';
import { useTimeline } from '../../state/timeline';
import { useText } from '../../text/language';

const WIDTH = 44;

export interface MinimapProps {
  grid: RefObject<HTMLDivElement | null>;
  layout: RowLayout;
  view: { top: number; height: number };
  /** The list shows some steps only: the frame of the view is not drawn. */
  filtered: boolean;
}

/** The whole run in 44 px: masks, undecided steps, hints, errors and the score. Drag it to scroll. */
export function Minimap({ grid, layout, view, filtered }: MinimapProps) {
  const text = useText();
  const canvas = useRef<HTMLCanvasElement>(null);
  const steps = useTimeline((state) => state.steps);
  const tiles = useTimeline((state) => state.tiles);
  const heads = useTimeline((state) => state.heads);
  const version = useTimeline((state) => state.version);
  const segments = useSegments((state) => state.list);
  const theme = useDocumentTheme();

  // biome-ignore lint/correctness/useExhaustiveDependencies: version and theme say when what is read below has changed
  useEffect(() => {
    const box = canvas.current;
    if (box === null) return;
    const frame = requestAnimationFrame(() =>
      draw(
        box,
        steps,
        minimapMarks(steps, tiles, (step) => heads.get(step)),
        segments.slice(1).map(({ firstStep }) => firstStep),
      ),
    );
    return () => cancelAnimationFrame(frame);
  }, [steps, tiles, heads, version, segments, theme, view.height]);

  function scrollTo(event: React.PointerEvent<HTMLDivElement>): void {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientY - box.top) / box.height;
    if (grid.current !== null) grid.current.scrollTop = share * layout.total - view.height / 2;
  }

  const whole = Math.max(1, layout.total);
  return (
    <div
      className="minimap"
      role="img"
      aria-label={text.timeline.minimap}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        scrollTo(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) scrollTo(event);
      }}
    >
      <canvas ref={canvas} />
      {!filtered && layout.total > view.height && (
        <div
          className="minimap-view"
          style={{
            top: `${(view.top / whole) * 100}%`,
            height: `max(8px, ${(Math.min(view.height, whole) / whole) * 100}%)`,
          }}
        />
      )}
    </div>
  );
}

/** @param borders First steps of the segments after the first. */
function draw(
  canvas: HTMLCanvasElement,
  steps: number,
  { marks, scores }: MinimapMarks,
  borders: readonly number[],
): void {
  const height = canvas.parentElement?.clientHeight ?? 0;
  const ratio = window.devicePixelRatio;
  canvas.width = WIDTH * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext('2d');
  if (pen === null || steps === 0 || height === 0) return;
  pen.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  // A short run is not stretched over the whole height: a step is at most as high as a row.
  const unit = Math.min(height / steps, 28);
  const y = (step: number): number => (step - 1) * unit;

  pen.fillStyle = colour('--line-strong');
  pen.fillRect(4, 0, 3, unit * steps);
  // Points closer together than they are high would be one bar: of those only the first is drawn.
  const free: Record<string, number> = { hint: -1, error: -1 };
  for (const mark of marks) {
    const top = y(mark.from);
    if (mark.kind === 'hint' || mark.kind === 'error') {
      if (top < (free[mark.kind] ?? -1)) continue;
      free[mark.kind] = top + 5;
    }
    const high = Math.max(1.5, (mark.to - mark.from + 1) * unit);
    if (mark.kind === 'mask' || mark.kind === 'undecided') {
      pen.fillStyle = colour('--bg-panel');
      pen.fillRect(4, top, 10, high);
      const tint = colour(mark.kind === 'mask' ? '--label-mask' : '--label-undecided');
      if (mark.kind === 'mask') hatch(pen, tint, 4, top, 10, high);
      else dots(pen, tint, 4, top, 10, high);
    } else if (mark.kind === 'hint') {
      pen.fillStyle = colour('--label-hint');
      pen.fillRect(18, top + Math.max(0, high / 2 - 1.5), 8, 3);
    } else {
      pen.strokeStyle = colour('--danger');
      pen.lineWidth = 1;
      const middle = top + high / 2;
      pen.beginPath();
      pen.moveTo(20, middle - 2);
      pen.lineTo(24, middle + 2);
      pen.moveTo(24, middle - 2);
      pen.lineTo(20, middle + 2);
      pen.stroke();
    }
  }
  pen.fillStyle = colour('--line-ctl');
  for (const border of borders) pen.fillRect(0, Math.round(y(border)), WIDTH, 1);
  if (scores.length > 0) {
    const best = Math.max(100, ...scores.map((point) => point.score));
    pen.strokeStyle = colour('--fg-3');
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
    pen.lineTo(x, unit * steps);
    pen.stroke();
  }
}

function hatch(
  pen: CanvasRenderingContext2D,
  tint: string,
  x: number,
  y: number,
  w: number,
  h: number,
): void {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, w, h);
  pen.clip();
  pen.strokeStyle = tint;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (let at = y - w; at < y + h + w; at += 4) {
    pen.moveTo(x, at + w);
    pen.lineTo(x + w, at);
  }
  pen.stroke();
  pen.restore();
}

function dots(pen: CanvasRenderingContext2D, tint: string, x: number, y: number, w: number, h: number): void {
  pen.fillStyle = tint;
  for (let dy = 0; dy < h; dy += 3) {
    for (let dx = 0; dx < w; dx += 3) pen.fillRect(x + dx, y + dy, 1.6, Math.min(1.6, h - dy));
  }
}
