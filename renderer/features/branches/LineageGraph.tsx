import { useLayoutEffect, useRef, useState } from 'react';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import type { LineageLine, LineagePlace } from './branches';
import { moveOnLineage, placesOf } from './branches';

/** Height of a run's row, and the room left and right of the steps, px. */
const ROW = 48;
const EDGE = 12;

export interface LineageGraphProps {
  lines: readonly LineageLine[];
  /** The run the cursor begins on. */
  run: string;
  onOpen: (run: string, step: number) => void;
}

/** Runs as lines over their steps; a branch leaves its parent's line. Arrow keys and Enter, or the mouse. */
export function LineageGraph({ lines, run, onOpen }: LineageGraphProps) {
  const text = useText();
  const words = text.branches;
  const box = useRef<HTMLDivElement>(null);
  const track = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  const own = Math.max(
    0,
    lines.findIndex(({ node }) => node.run === run),
  );
  const [at, setAt] = useState<LineagePlace>(() => ({ row: own, step: lines[own]?.to ?? 0 }));
  const here = lines[at.row];

  useLayoutEffect(() => {
    box.current?.focus();
    const element = track.current;
    if (element === null) return;
    const watcher = new ResizeObserver(() => setWidth(element.clientWidth));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);

  const last = Math.max(1, ...lines.map(({ to }) => to));
  const x = (step: number): number => EDGE + (step / last) * Math.max(0, width - 2 * EDGE);
  const y = (row: number): number => row * ROW + ROW / 2;
  const keys: Readonly<Record<string, 'left' | 'right' | 'up' | 'down'>> = {
    ArrowLeft: 'left',
    ArrowRight: 'right',
    ArrowUp: 'up',
    ArrowDown: 'down',
  };
  return (
    <>
      <div
        ref={box}
        role="tree"
        tabIndex={0}
        data-autofocus
        aria-label={words.lineage}
        aria-activedescendant={`lineage-${at.row}`}
        className="lineage"
        onKeyDown={(event) => {
          const direction = keys[event.key];
          if (direction !== undefined) setAt((before) => moveOnLineage(lines, before, direction));
          else if (event.key === 'Enter' && here !== undefined) onOpen(here.node.run, at.step);
          else return;
          event.preventDefault();
        }}
      >
        <div className="lineage-names">
          {lines.map((line) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the tree holds the focus
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
            <div
              key={line.node.run}
              id={`lineage-${line.row}`}
              role="treeitem"
              aria-level={line.depth + 1}
              aria-selected={line.row === at.row}
              aria-label={sentence(line, text)}
              className={`lineage-name ${line.row === at.row ? 'lineage-here' : ''}`}
              style={{ paddingLeft: 8 + line.depth * 12 }}
              onClick={() => setAt({ row: line.row, step: line.to })}
              onDoubleClick={() => onOpen(line.node.run, line.to)}
            >
              <span className={`cut ${line.node.run === run ? 'strong' : ''}`}>{line.node.title}</span>
              <span className="text-11 quiet cut tabular">{facts(line, text).join(' · ')}</span>
            </div>
          ))}
        </div>
        <div ref={track} className="lineage-track">
          <svg width={width} height={lines.length * ROW} aria-hidden="true">
            {lines.map((line) => (
              <Line
                key={line.node.run}
                line={line}
                lines={lines}
                own={line.node.run === run}
                at={at.row === line.row ? at.step : null}
                x={x}
                y={y}
                onPoint={(step) => setAt({ row: line.row, step })}
                onOpen={(step) => onOpen(line.node.run, step)}
              />
            ))}
          </svg>
        </div>
      </div>
      <p className="lineage-foot text-12">
        <span role="status">{here === undefined ? '' : placeWords(here, at.step, lines, text)}</span>
        <span className="quiet">{words.lineageKeys}</span>
      </p>
    </>
  );
}

interface LineProps {
  line: LineageLine;
  lines: readonly LineageLine[];
  own: boolean;
  /** Step under the cursor, when it is on this line. */
  at: number | null;
  x: (step: number) => number;
  y: (row: number) => number;
  onPoint: (step: number) => void;
  onOpen: (step: number) => void;
}

function Line({ line, lines, own, at, x, y, onPoint, onOpen }: LineProps) {
  const text = useText();
  const middle = y(line.row);
  const start = x(line.from);
  const checkpoints = new Set(line.node.checkpoints.map(({ step }) => step));
  const { best } = line.node;
  return (
    <g className={own ? 'lineage-own' : undefined}>
      {line.parentRow !== null && (
        <path className="lineage-link" d={`M${start} ${y(line.parentRow)} V${middle - 8} q0 8 8 8`} />
      )}
      <path
        className="lineage-line"
        d={`M${line.parentRow === null ? start : start + 8} ${middle} H${x(line.to)}`}
      />
      {placesOf(line, lines).map((step) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the tree handles the keys
        <g
          key={step}
          className={`lineage-place ${step === at ? 'lineage-at' : ''}`}
          transform={`translate(${x(step)} ${middle})`}
          onClick={() => (step === at ? onOpen(step) : onPoint(step))}
        >
          <circle r="10" className="lineage-hit" />
          {checkpoints.has(step) ? (
            <circle r="4.5" className="lineage-checkpoint" />
          ) : (
            <circle r="3" className="lineage-dot" />
          )}
        </g>
      ))}
      {best !== null && (
        <text x={x(line.to)} y={middle - 13} textAnchor="end" className="lineage-score">
          {text.common.format.score(best)}
        </text>
      )}
    </g>
  );
}

function facts({ node }: LineageLine, text: Text): string[] {
  const words = text.branches;
  const { parent } = node;
  return [
    ...(parent === null ? [] : [parent.gone ? words.parentGone(parent.step) : words.fromStep(parent.step)]),
    text.common.steps(node.steps),
    node.best === null ? words.noScore : words.best(text.common.format.score(node.best)),
  ];
}

function sentence(line: LineageLine, text: Text): string {
  const { node } = line;
  return text.branches.line([
    node.title,
    ...facts(line, text),
    text.branches.checkpointCount(node.checkpoints.length),
  ]);
}

function placeWords(line: LineageLine, step: number, lines: readonly LineageLine[], text: Text): string {
  const words = text.branches;
  const { title, checkpoints } = line.node;
  if (checkpoints.some((one) => one.step === step)) return words.placeCheckpoint(title, step);
  if (lines.some(({ parentRow, from }) => parentRow === line.row && from === step)) {
    return words.placeBranch(title, step);
  }
  return words.placeEnd(title, step);
}
