import type { MaskCount, RunStats } from '@shared/runs/run-stats';
import { scaleLinear } from 'd3-scale';
import { useId } from 'react';
import { useText } from '../../text/language';
import { PlotFrame } from './PlotFrame';
import { type PlotColours, usePlotColours } from './plot-colours';

const width = 860;
const rowHeight = 26;
const bars = 300;
/** Letters of a source that fit before its bar. */
const longest = 34;
const most = 24;

/** How the run's steps are labelled: value, who says so, and why; the largest parts first. */
export function MaskPlot({ stats }: { stats: RunStats }) {
  const text = useText();
  const words = text.plots;
  const { format } = text.common;
  const colours = usePlotColours();
  const hatch = useId();
  const shown = stats.masks.slice(0, most);
  const total = stats.masks.reduce((sum, { steps }) => sum + steps, 0);
  const x = scaleLinear()
    .domain([0, Math.max(1, ...shown.map(({ steps }) => steps))])
    .range([0, width - bars - 90]);
  const sum = (value: MaskCount['value']) =>
    stats.masks.reduce((all, each) => (each.value === value ? all + each.steps : all), 0);
  const label = text.labels;
  return (
    <PlotFrame
      title={words.masks}
      summary={words.masksSummary(
        format.count(sum('train')),
        format.count(sum('mask')),
        format.count(sum('undecided')),
      )}
      width={width}
      height={shown.length * rowHeight + 16}
      rows={[
        [words.label, words.source, words.reason, words.steps],
        ...stats.masks.map(({ value, source, reason, steps }) => [value, source, reason, steps]),
      ]}
    >
      <defs>
        <pattern id={hatch} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width={6} height={6} fill={colours.ground} />
          <rect width={3} height={6} fill={colours.mask} />
        </pattern>
      </defs>
      {shown.map((each, index) => (
        <g
          key={`${each.value}-${each.source}-${each.reason}`}
          transform={`translate(0 ${index * rowHeight + 8})`}
        >
          <text y={13} fill={toneOf(each, colours)} fontWeight={600}>
            {label[each.value]}
          </text>
          <text x={96} y={13} fill={colours.text}>
            {cut(
              `${words.sources[each.source]}${each.reason === '' ? '' : `: ${label.reasonName(each.reason)}`}`,
            )}
          </text>
          <rect
            x={bars}
            y={3}
            width={Math.max(1, x(each.steps))}
            height={rowHeight - 12}
            fill={each.value === 'mask' ? `url(#${hatch})` : fillOf(each, colours)}
            stroke={toneOf(each, colours)}
            strokeDasharray={each.value === 'undecided' ? '2 2' : undefined}
          />
          <text x={bars + x(each.steps) + 8} y={13} fill={colours.text}>
            {`${format.count(each.steps)} (${Math.round((100 * each.steps) / Math.max(1, total))} %)`}
          </text>
        </g>
      ))}
    </PlotFrame>
  );
}

function cut(name: string): string {
  return name.length > longest ? `${name.slice(0, longest - 1)}…` : name;
}

function toneOf({ value }: MaskCount, colours: PlotColours): string {
  return colours[value];
}

function fillOf({ value }: MaskCount, colours: PlotColours): string {
  return value === 'train' ? colours.train : 'none';
}
