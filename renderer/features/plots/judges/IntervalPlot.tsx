import type { Estimate } from '@shared/labels/agreement';
import { scaleLinear } from 'd3-scale';
import { useText } from '../../../text/language';
import { BottomAxis } from '../Axes';
import { PlotFrame } from '../PlotFrame';
import { usePlotColours } from '../plot-colours';

/** One figure with its interval; without one it says why it is unknown. */
export interface IntervalRow {
  name: string;
  /** Null: unknown. `bare`: a figure that has no interval. */
  estimate: Estimate | { bare: number } | null;
  /** What stands behind the figure, and alone where there is none. */
  note?: string | undefined;
  /** A value that the figure is held against. */
  mark?: number | null | undefined;
}

export interface IntervalGroup {
  title: string;
  rows: readonly IntervalRow[];
}

export interface IntervalPlotProps {
  title: string;
  summary: string;
  groups: readonly IntervalGroup[];
}

const width = 860;
const rowHeight = 22;
const left = 250;
const right = 540;
/** Letters that fit before the axis, and behind it. */
const longest = 38;
const longestNote = 56;

/** Figures between −1 or 0 and 1, one under the other, each a point with its 95 % interval. */
export function IntervalPlot({ title, summary, groups }: IntervalPlotProps) {
  const text = useText();
  const words = text.judgeQuality;
  const colours = usePlotColours();
  const all = groups.flatMap(({ rows }) => rows);
  const hasNegative = all.some(({ estimate }) => estimate !== null && lowOf(estimate) < 0);
  const x = scaleLinear()
    .domain([hasNegative ? -1 : 0, 1])
    .range([left, right]);
  const bottom = all.length * rowHeight + groups.length * (rowHeight + 6) + 6;
  let at = 0;
  return (
    <PlotFrame
      title={title}
      summary={summary}
      width={width}
      height={bottom + 36}
      rows={intervalRows(groups, words.columns)}
    >
      <BottomAxis
        scale={x}
        at={bottom}
        reach={bottom - 8}
        label=""
        ticks={5}
        say={(value) => signed(value.toFixed(1))}
      />
      {groups.map((group, index) => {
        const top = at + 6;
        at = top + rowHeight * (group.rows.length + 1);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups stay in their place
          <g key={index} transform={`translate(0 ${top})`}>
            <text y={15} fill={colours.quiet} fontWeight={600}>
              {cut(group.title, 120)}
            </text>
            {group.rows.map((row, rank) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <g key={rank} transform={`translate(0 ${(rank + 1) * rowHeight})`}>
                <IntervalMark row={row} x={x} />
              </g>
            ))}
          </g>
        );
      })}
    </PlotFrame>
  );
}

function IntervalMark({ row, x }: { row: IntervalRow; x: (value: number) => number }) {
  const text = useText();
  const words = text.judgeQuality;
  const colours = usePlotColours();
  const { name, estimate, note, mark } = row;
  const figure =
    estimate === null ? [] : 'bare' in estimate ? [twoDigits(estimate.bare)] : [figureWords(estimate, text)];
  const said = [...figure, ...(note === undefined ? [] : [note])].join(' · ');
  const told = said === '' ? words.unknown : said;
  return (
    <>
      <text x={12} y={15} fill={colours.text}>
        {cut(name, longest)}
        <title>{name}</title>
      </text>
      {estimate !== null && (
        <>
          {'bare' in estimate ? null : (
            <line
              x1={x(estimate.low)}
              x2={x(estimate.high)}
              y1={11}
              y2={11}
              stroke={colours.accent}
              strokeWidth={2}
            />
          )}
          {mark == null ? null : (
            <line x1={x(mark)} x2={x(mark)} y1={5} y2={17} stroke={colours.text} strokeWidth={1.5} />
          )}
          <circle cx={x(pointOf(estimate))} cy={11} r={4} fill={colours.accent} />
        </>
      )}
      <text x={right + 14} y={15} fill={estimate === null ? colours.quiet : colours.text}>
        {cut(told, longestNote)}
        <title>{told}</title>
      </text>
    </>
  );
}

/** The figures as a table, for the file and for whoever would rather read. */
export function intervalRows(
  groups: readonly IntervalGroup[],
  columns: {
    group: string;
    figure: string;
    value: string;
    low: string;
    high: string;
    n: string;
    note: string;
  },
) {
  const { group: of, figure, value, low, high, n, note } = columns;
  return [
    [of, figure, value, low, high, n, note],
    ...groups.flatMap(({ title, rows }) =>
      rows.map(({ name, estimate, note: said }) => [
        ...[title, name],
        ...(estimate === null
          ? [null, null, null, null]
          : 'bare' in estimate
            ? [rounded(estimate.bare), null, null, null]
            : [rounded(estimate.value), rounded(estimate.low), rounded(estimate.high), estimate.n]),
        said ?? null,
      ]),
    ),
  ];
}

type Figure = NonNullable<IntervalRow['estimate']>;

const pointOf = (figure: Figure) => ('bare' in figure ? figure.bare : figure.value);
const lowOf = (figure: Figure) => ('bare' in figure ? figure.bare : figure.low);

/** Four digits behind the point say more than any sample does. */
const rounded = (value: number) => Math.round(value * 10_000) / 10_000;

export const twoDigits = (value: number) => signed(value.toFixed(2));

/** With a minus that is one, and no zero below zero. */
const signed = (digits: string) =>
  Number(digits) === 0 ? digits.replace('-', '') : digits.replace('-', '−');

/** "0.83 (0.71 to 0.91), n = 40". */
export function figureWords(
  { value, low, high, n }: Estimate,
  { judgeQuality, common }: ReturnType<typeof useText>,
): string {
  return judgeQuality.figure(twoDigits(value), twoDigits(low), twoDigits(high), common.format.count(n));
}

function cut(said: string, most: number): string {
  return said.length > most ? `${said.slice(0, most - 1)}…` : said;
}
