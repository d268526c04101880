import type { RunStats } from '@shared/runs/run-stats';
import { scaleLinear } from 'd3-scale';
import { useText } from '../../text/language';
import { PlotFrame } from './PlotFrame';
import { usePlotColours } from './plot-colours';

const width = 860;
const rowHeight = 30;
const bars = 190;
const most = 40;

/** Tokens read in each segment, the part that came from the provider's cache marked, and tokens written. */
export function TokensPlot({ stats }: { stats: RunStats }) {
  const text = useText();
  const words = text.plots;
  const { format } = text.common;
  const colours = usePlotColours();
  const shown = stats.segments.slice(-most);
  const x = scaleLinear()
    .domain([0, Math.max(1, ...shown.map(({ input }) => input))])
    .range([0, width - bars - 210]);
  const all = stats.segments.reduce((sum, { input }) => sum + input, 0);
  const cached = stats.segments.reduce((sum, each) => sum + each.cached, 0);
  return (
    <PlotFrame
      title={words.segmentTokens}
      summary={words.tokensSummary(
        format.compact(all),
        format.count(stats.segments.length),
        String(Math.round((100 * cached) / Math.max(1, all))),
      )}
      width={width}
      height={shown.length * rowHeight + 12}
      rows={[
        [words.segment, words.fromStep, words.steps, words.tokensIn, words.cached, words.tokensOut],
        ...stats.segments.map((each) => [
          ...[each.segment, each.firstStep, each.steps],
          ...[each.input, each.cached, each.output],
        ]),
      ]}
    >
      {shown.map((each, index) => (
        <g key={each.segment} transform={`translate(0 ${index * rowHeight + 8})`}>
          <text y={14} fill={colours.text}>
            {words.segmentRow(each.segment, format.count(each.steps))}
          </text>
          <rect
            x={bars}
            y={4}
            width={Math.max(1, x(each.input))}
            height={rowHeight - 14}
            fill="none"
            stroke={colours.accent}
          />
          <rect
            x={bars}
            y={4}
            width={x(Math.min(each.cached, each.input))}
            height={rowHeight - 14}
            fill={colours.accent}
            fillOpacity={0.45}
          />
          <text x={bars + x(each.input) + 8} y={14} fill={colours.text}>
            {words.tokensRow(
              format.compact(each.input),
              format.compact(each.cached),
              format.compact(each.output),
            )}
          </text>
        </g>
      ))}
    </PlotFrame>
  );
}
