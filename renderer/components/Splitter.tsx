import { useRef, useState } from 'react';

export interface SplitterProps {
  /** `vertical` is a line from top to bottom that moves sideways. */
  direction: 'vertical' | 'horizontal';
  label: string;
  size: number;
  min: number;
  max: number;
  /** The pane it sizes lies after it (right or below). */
  after?: boolean;
  /** null = back to the default (double click). */
  onResize: (size: number | null) => void;
}

/** The hairline between two panes: drag, or arrow keys by 16 px; double click goes back to the default. */
export function Splitter({ direction, label, size, min, max, after = false, onResize }: SplitterProps) {
  const drag = useRef<{ from: number; size: number } | null>(null);
  const [dragging, setDragging] = useState(false);
  const vertical = direction === 'vertical';
  const clamp = (value: number): number => Math.max(min, Math.min(max, value));

  function onKeyDown(event: React.KeyboardEvent): void {
    const forward = vertical ? 'ArrowRight' : 'ArrowDown';
    const back = vertical ? 'ArrowLeft' : 'ArrowUp';
    if (event.key !== forward && event.key !== back) return;
    event.preventDefault();
    event.stopPropagation();
    onResize(clamp(size + (event.key === forward ? 16 : -16) * (after ? -1 : 1)));
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a focusable separator is the role for a pane divider; hr takes no value
    <div
      role="separator"
      aria-orientation={direction}
      aria-label={label}
      aria-valuenow={Math.round(size)}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      className={`splitter splitter-${direction} ${dragging ? 'splitter-dragging' : ''}`}
      onKeyDown={onKeyDown}
      onDoubleClick={() => onResize(null)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { from: vertical ? event.clientX : event.clientY, size };
        setDragging(true);
      }}
      onPointerMove={(event) => {
        const start = drag.current;
        if (start === null) return;
        const moved = (vertical ? event.clientX : event.clientY) - start.from;
        onResize(clamp(start.size + (after ? -moved : moved)));
      }}
      onPointerUp={() => {
        drag.current = null;
        setDragging(false);
      }}
    />
  );
}
