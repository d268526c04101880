import { type RunStats, stepFamilies } from '@shared/runs/run-stats';
import { scaleLinear } from 'd3-scale';
import { useText } from '../../text/language';
import { BottomAxis } from './Axes';
import { PlotFrame } from './PlotFrame';
import { usePlotColours } from './plot-colours';

const width = 860;
const left = 130;
const right = width - 70;
const rowHeight = 30;

/** What the agent did when: one row for each family of actions, a bar as high as its share of the steps there. */
export function KindsPlot({ stats }: { stats: RunStats }) {
  const text = useText();
  const words = text.plots;
  const { format } = text.common;
  const colours = usePlotColours();
  const counted = stepFamilies
    .map((family) => ({
      family,
      total: stats.buckets.reduce((sum, { counts }) => sum + (counts[family] ?? 0), 0),
    }))
    .filter(({ total }) => total > 0);
  const x = scaleLinear()
    .domain([0, Math.max(1, stats.steps)])
    .range([left, right]);
  const bottom = counted.length * rowHeight + 12;
  const first = counted.toSorted((a, b) => b.total - a.total)[0];
  return (
    <PlotFrame
      title={words.kinds}
      summary={
        first === undefined
          ? words.nothing
          : words.kindsSummary(
              words.families[first.family],
              format.count(first.total),
              format.count(stats.steps),
            )
      }
      width={width}
      height={bottom + 40}
      rows={[
        [words.fromStep, words.toStep, ...counted.map(({ family }) => words.families[family])],
        ...stats.buckets.map(({ from, to, counts }) => [
          from,
          Math.min(to, stats.steps),
          ...counted.map(({ family }) => counts[family] ?? 0),
        ]),
      ]}
    >
      {counted.map(({ family, total }, index) => {
        const base = index * rowHeight + rowHeight;
        return (
          <g key={family}>
            <text x={left - 10} y={base - 6} textAnchor="end" fill={colours.text}>
              {words.families[family]}
            </text>
            <line x1={left} x2={right} y1={base} y2={base} stroke={colours.line} strokeOpacity={0.5} />
            {stats.buckets.map(({ from, to, counts }) => {
              const end = Math.min(to, stats.steps);
              const share = (counts[family] ?? 0) / Math.max(1, end - from + 1);
              return share === 0 ? null : (
                <rect
                  key={from}
                  x={x(from - 1)}
                  y={base - share * (rowHeight - 4)}
                  width={Math.max(1, x(end) - x(from - 1) - 0.5)}
                  height={share * (rowHeight - 4)}
                  fill={colours.accent}
                >
                  <title>{words.share(words.families[family], from, end, Math.round(share * 100))}</title>
                </rect>
              );
            })}
            <text x={right + 8} y={base - 6} fill={colours.quiet}>
              {format.count(total)}
            </text>
          </g>
        );
      })}
      <BottomAxis scale={x} at={bottom} reach={0} label={words.steps} say={(value) => format.count(value)} />
    </PlotFrame>
  );
}
