import type { RunStats } from '@shared/runs/run-stats';
import { scaleLinear } from 'd3-scale';
import { curveStepAfter, line } from 'd3-shape';
import { useText } from '../../text/language';
import { BottomAxis, LeftAxis } from './Axes';
import { PlotFrame } from './PlotFrame';
import { usePlotColours } from './plot-colours';

const width = 860;
const left = 56;
const right = width - 170;
const hour = 3_600_000;
const minute = 60_000;
const day = 24 * hour;
const dashes = [undefined, '6 3', '2 3', '8 3 2 3', '1 4'];
const most = 12;

/** Steps each person has decided, over the hours since the first decision; lines differ by dash and end with the name. */
export function PeoplePlot({ stats }: { stats: RunStats }) {
  const text = useText();
  const words = text.plots;
  const { format } = text.common;
  const colours = usePlotColours();
  const people = stats.people.slice(0, most);
  const times = people.flatMap(({ points }) => points.map(({ at }) => at));
  const start = Math.min(...times);
  const end = Math.max(...times);
  // A first session is minutes long; work that goes on is told in hours, then in days.
  const unit = end - start < 2 * hour ? minute : end - start < 72 * hour ? hour : day;
  const x = scaleLinear()
    .domain([0, Math.max(1, (end - start) / unit)])
    .range([left, right]);
  const y = scaleLinear()
    .domain([0, Math.max(1, ...people.flatMap(({ points }) => points.map(({ decided }) => decided)))])
    .nice()
    .range([260, 28]);
  const path = line<{ at: number; decided: number }>(
    ({ at }) => x((at - start) / unit),
    ({ decided }) => y(decided),
  ).curve(curveStepAfter);
  const ends = spread(people.map(({ points }) => y(points.at(-1)?.decided ?? 0)));
  return (
    <PlotFrame
      title={words.people}
      summary={
        people.length === 0
          ? words.nobody
          : people.map(({ name, decided }) => words.personDecided(name, format.count(decided))).join(' ')
      }
      width={width}
      height={300}
      rows={[
        [words.person, words.hours, words.decided],
        ...stats.people.flatMap(({ name, points }) =>
          points.map(({ at, decided }) => [name, Math.round(((at - start) / hour) * 100) / 100, decided]),
        ),
      ]}
    >
      {people.length > 0 && (
        <>
          <LeftAxis
            scale={y}
            at={left}
            reach={right - left}
            label={words.decided}
            say={(value) => format.count(value)}
          />
          <BottomAxis
            scale={x}
            at={260}
            reach={232}
            label={unit === minute ? words.minutes : unit === hour ? words.hours : words.days}
            say={(value) => format.count(value)}
          />
        </>
      )}
      {people.map(({ uuid, name, points }, index) => (
        <g key={uuid}>
          <path
            d={path([...points, { at: end, decided: points.at(-1)?.decided ?? 0 }]) ?? ''}
            fill="none"
            stroke={index % 2 === 0 ? colours.text : colours.accent}
            strokeWidth={1.5}
            strokeDasharray={dashes[index % dashes.length]}
          />
          <text x={right + 10} y={(ends[index] ?? 0) + 4} fill={colours.text}>
            {name.length > 22 ? `${name.slice(0, 21)}…` : name}
          </text>
        </g>
      ))}
    </PlotFrame>
  );
}

/** Heights for the names, none closer than a line to the next. */
export function spread(wanted: readonly number[]): number[] {
  const order = wanted.map((at, index) => ({ at, index })).sort((a, b) => b.at - a.at);
  const placed: number[] = new Array(wanted.length).fill(0);
  let above = Number.POSITIVE_INFINITY;
  for (const { at, index } of order) {
    above = Math.min(at, above - 14);
    placed[index] = above;
  }
  return placed;
}
