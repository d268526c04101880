import { useEffect, useRef } from 'react';
import { useSegments } from '../../state/run/segments';
import { useTimeline } from '../../state/run/timeline';
import { useDocumentTheme } from '../../state/settings';
import { useText } from '../../text/language';
import { EXACT_STEPS, minimapMarks, stepAtShare } from './minimap';
import { drawMinimap } from './minimap-drawing';
import { ROW } from './row-layout';

export interface MinimapProps {
  /** Id of the list it scrolls. */
  controls: string;
  /** Steps at the upper and lower edge of the list's view. */
  shown: { from: number; to: number };
  height: number;
  /** Brings a step to the middle of the list. */
  onPlace: (step: number) => void;
}

/** The whole run in 44 px: masks, undecided steps, hints, errors and the score. A scroll bar of steps, by hand or by key. */
export function Minimap({ controls, shown, height, onPlace }: MinimapProps) {
  const text = useText();
  const { format } = text.common;
  const canvas = useRef<HTMLCanvasElement>(null);
  const steps = useTimeline((state) => state.steps);
  const tiles = useTimeline((state) => state.tiles);
  const heads = useTimeline((state) => state.heads);
  // A long run is drawn from its tiles alone: heads that come while the list scrolls change nothing.
  const version = useTimeline((state) => (state.steps <= EXACT_STEPS ? state.version : 0));
  const segments = useSegments((state) => state.list);
  const theme = useDocumentTheme();

  // biome-ignore lint/correctness/useExhaustiveDependencies: version and theme say when what is read below has changed
  useEffect(() => {
    const box = canvas.current;
    if (box === null) return;
    const frame = requestAnimationFrame(() => {
      const marks = minimapMarks(steps, tiles, (step) => heads.get(step), height);
      const borders = segments.slice(1).map(({ firstStep }) => firstStep);
      drawMinimap(box, height, steps, marks, borders);
    });
    return () => cancelAnimationFrame(frame);
  }, [steps, tiles, heads, version, segments, theme, height]);

  function placeAt(event: React.PointerEvent<HTMLDivElement>): void {
    const box = event.currentTarget.getBoundingClientRect();
    onPlace(stepAtShare((event.clientY - box.top) / box.height, steps, box.height, ROW));
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    const middle = Math.round((shown.from + shown.to) / 2);
    const screen = Math.max(1, shown.to - shown.from);
    const hundredth = Math.max(1, Math.round(steps / 100));
    const target: Partial<Record<string, number>> = {
      ArrowUp: middle - hundredth,
      ArrowDown: middle + hundredth,
      PageUp: middle - screen,
      PageDown: middle + screen,
      Home: 1,
      End: steps,
    };
    const step = target[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    onPlace(Math.min(Math.max(1, step), steps));
  }

  const unit = Math.min(height / Math.max(1, steps), ROW);
  const whole = shown.from <= 1 && shown.to >= steps;
  return (
    <div
      className="minimap"
      role="scrollbar"
      tabIndex={0}
      aria-label={text.timeline.minimap}
      aria-controls={controls}
      aria-orientation="vertical"
      aria-valuemin={1}
      aria-valuemax={Math.max(1, steps)}
      aria-valuenow={Math.min(Math.max(1, shown.from), Math.max(1, steps))}
      aria-valuetext={text.timeline.minimapAt(
        format.count(shown.from),
        format.count(shown.to),
        format.count(steps),
      )}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        placeAt(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) placeAt(event);
      }}
    >
      <canvas ref={canvas} />
      {!whole && (
        <div
          className="minimap-view"
          style={{
            top: `${Math.min((shown.from - 1) * unit, height - 8)}px`,
            height: `${Math.max(8, (shown.to - shown.from + 1) * unit)}px`,
          }}
        />
      )}
    </div>
  );
}
