import type { JudgeFigures } from '@shared/labels/judge-figures';
import { scaleLinear } from 'd3-scale';
import { useText } from '../../../text/language';
import { BottomAxis, LeftAxis } from '../Axes';
import { PlotFrame } from '../PlotFrame';
import { usePlotColours } from '../plot-colours';

const width = 860;
const left = 56;
const size = 320;
const top = 28;
const bottom = top + size;

/** How often a judge is right, by how sure it says it is: a calibrated one lies on the diagonal. */
export function CalibrationPlot({ figures }: { figures: JudgeFigures }) {
  const text = useText();
  const words = text.judgeQuality;
  const { count } = text.common.format;
  const colours = usePlotColours();
  const { judge, bySureness: bands, calibrationError } = figures;
  const x = scaleLinear()
    .domain([0, 1])
    .range([left, left + size * 1.6]);
  const y = scaleLinear().domain([0, 1]).range([bottom, top]);
  const votes = bands.reduce((sum, { right }) => sum + right.n, 0);
  const largest = Math.max(1, ...bands.map(({ right }) => right.n));
  const title = words.calibrationOf(judge);
  return (
    <PlotFrame
      title={title}
      summary={words.calibrationSummary(count(Math.round((calibrationError ?? 0) * 100)), count(votes))}
      width={width}
      height={bottom + 40}
      rows={[
        [
          ...[words.columns.from, words.columns.to, words.columns.sure, words.rightShare],
          ...[words.columns.low, words.columns.high, words.columns.n],
        ],
        ...bands.map(({ from, to, sure, right }) =>
          [from, to, sure, right.value, right.low, right.high, right.n].map(
            (value) => Math.round(value * 10_000) / 10_000,
          ),
        ),
      ]}
    >
      <LeftAxis
        scale={y}
        at={left}
        reach={size * 1.6}
        label={words.rightShare}
        ticks={5}
        say={(value) => value.toFixed(1)}
      />
      <BottomAxis
        scale={x}
        at={bottom}
        reach={size}
        label={words.confidence}
        ticks={10}
        say={(value) => value.toFixed(1)}
      />
      <line x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} stroke={colours.quiet} strokeDasharray="4 3" />
      <text x={x(0.62)} y={y(0.62) - 10} fill={colours.quiet} textAnchor="end">
        {words.perfect}
      </text>
      {bands.map(({ from, sure, right }) => (
        <g key={from}>
          <line x1={x(sure)} x2={x(sure)} y1={y(right.low)} y2={y(right.high)} stroke={colours.accent} />
          <circle
            cx={x(sure)}
            cy={y(right.value)}
            // Its area grows with the votes.
            r={3 + 7 * Math.sqrt(right.n / largest)}
            fill={colours.accent}
            fillOpacity={0.75}
            stroke={colours.ground}
          />
          <title>{words.band(percent(sure), percent(right.value), count(right.n))}</title>
        </g>
      ))}
      <g transform={`translate(${left + size * 1.6 + 30} ${top})`}>
        {bands.map(({ from, sure, right }, index) => (
          <text key={from} y={index * 20 + 12} fill={colours.text}>
            {words.band(percent(sure), percent(right.value), count(right.n))}
          </text>
        ))}
      </g>
    </PlotFrame>
  );
}

const percent = (share: number) => `${Math.round(share * 100)} %`;
