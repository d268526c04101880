import { scaleLinear } from 'd3-scale';
import { curveLinear, curveStepAfter, line } from 'd3-shape';
import type { ReactNode } from 'react';
import { useText } from '../../text/language';
import { BottomAxis, LeftAxis } from './Axes';
import { PlotFrame } from './PlotFrame';
import { type PlotColours, usePlotColours } from './plot-colours';
import type { PlotRows } from './plot-files';
import { scoreCeiling } from './ScorePlot';

/** Scores of one arm or run over hours or steps. */
export interface Curve {
  name: string;
  points: readonly { x: number; y: number; say: string }[];
}

export interface CurvesPlotProps {
  title: string;
  summary: string;
  across: string;
  curves: readonly Curve[];
  rows: PlotRows;
  /** Values hold until the next one; else a mean between is drawn straight. */
  steps?: boolean;
  head?: ReactNode;
}

const width = 860;
const left = 56;
const right = width - 16;
const top = 28;
const bottom = 276;

/** Curves of scores that are told apart by colour, dashes and marks, with their names above. */
export function CurvesPlot({ title, summary, across, curves, rows, steps, head }: CurvesPlotProps) {
  const text = useText();
  const colours = usePlotColours();
  const { format } = text.common;
  const all = curves.flatMap(({ points }) => points);
  const x = scaleLinear()
    .domain([0, Math.max(1, ...all.map((point) => point.x))])
    .range([left, right]);
  const y = scaleLinear()
    .domain([0, scoreCeiling(all.map((point) => point.y))])
    .range([bottom, top + 20]);
  const draw = line<(typeof all)[number]>(
    (point) => x(point.x),
    (point) => y(point.y),
  ).curve(steps === true ? curveStepAfter : curveLinear);
  const names = legendOf(curves.map(({ name }) => name));
  return (
    <PlotFrame title={title} summary={summary} width={width} height={316} rows={rows} head={head}>
      <LeftAxis scale={y} at={left} reach={right - left} label={text.plots.score} say={String} />
      <BottomAxis
        scale={x}
        at={bottom}
        reach={bottom - top - 20}
        label={across}
        say={(value) => format.count(value)}
      />
      {curves.map(({ name, points }, nth) => {
        const look = lookOf(nth, colours);
        return (
          <g key={name}>
            <path
              d={draw([...points]) ?? ''}
              fill="none"
              stroke={look.colour}
              strokeWidth={1.75}
              strokeDasharray={look.dashes}
            />
            {points.map((point) => (
              <path
                key={`${point.x} ${point.y}`}
                d={look.mark}
                transform={`translate(${x(point.x)} ${y(point.y)})`}
                fill={look.colour}
              >
                <title>{point.say}</title>
              </path>
            ))}
          </g>
        );
      })}
      {names.map(({ name, at, line: row }, nth) => {
        const look = lookOf(nth, colours);
        return (
          <g key={name} transform={`translate(${at} ${12 + row * 16})`}>
            <path d="M0 0H24" stroke={look.colour} strokeWidth={1.75} strokeDasharray={look.dashes} />
            <path d={look.mark} transform="translate(12 0)" fill={look.colour} />
            <text x={30} dy="0.32em" fill={colours.text}>
              {name}
            </text>
          </g>
        );
      })}
    </PlotFrame>
  );
}

const dashes = ['', '7 4', '2 3', '9 3 2 3', '12 3', '4 2'];
const marks = [
  'M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0Z',
  'M-3.5-3.5h7v7h-7Z',
  'M0-4.5L4 3H-4Z',
  'M0-4.5L4.5 0L0 4.5L-4.5 0Z',
  'M0 4.5L4-3H-4Z',
  'M-4-1.2h2.8V-4h2.4v2.8H4v2.4H1.2V4h-2.4V1.2H-4Z',
];

/** How the nth curve is drawn; after six they begin anew with the next dashes. */
function lookOf(nth: number, colours: PlotColours): { colour: string; dashes: string; mark: string } {
  const hues = [colours.accent, colours.mask, colours.train, colours.hint, colours.undecided, colours.text];
  return {
    colour: hues[nth % hues.length] ?? colours.text,
    dashes: dashes[(nth + Math.floor(nth / dashes.length)) % dashes.length] ?? '',
    mark: marks[nth % marks.length] ?? '',
  };
}

/** Roughly how wide a letter is; the drawing is saved without a page that could measure it. */
const LETTER = 6.2;

function legendOf(names: readonly string[]): { name: string; at: number; line: number }[] {
  let at = left;
  let row = 0;
  return names.map((name) => {
    const room = 48 + name.length * LETTER;
    if (at > left && at + room > right) {
      at = left;
      row += 1;
    }
    const place = { name, at, line: row };
    at += room;
    return place;
  });
}
