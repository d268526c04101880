import type { ScaleLinear } from 'd3-scale';
import { usePlotColours } from './plot-colours';

export interface AxisProps {
  scale: ScaleLinear<number, number>;
  /** Where the axis stands across. */
  at: number;
  /** How far its grid lines reach. */
  reach: number;
  label: string;
  ticks?: number;
  say(value: number): string;
}

/** Numbers along the bottom. */
export function BottomAxis({ scale, at, reach, label, ticks = 8, say }: AxisProps) {
  const colours = usePlotColours();
  const [left = 0, right = 0] = scale.range();
  return (
    <g>
      <line x1={left} x2={right} y1={at} y2={at} stroke={colours.line} />
      {scale.ticks(ticks).map((value) => (
        <g key={value} transform={`translate(${scale(value)} 0)`}>
          <line y1={at} y2={at - reach} stroke={colours.line} strokeOpacity={0.35} />
          <text y={at + 14} textAnchor="middle" fill={colours.quiet}>
            {say(value)}
          </text>
        </g>
      ))}
      <text x={right} y={at + 28} textAnchor="end" fill={colours.quiet}>
        {label}
      </text>
    </g>
  );
}

/** Numbers along the left. */
export function LeftAxis({ scale, at, reach, label, ticks = 4, say }: AxisProps) {
  const colours = usePlotColours();
  const [bottom = 0, top = 0] = scale.range();
  return (
    <g>
      {scale.ticks(ticks).map((value) => (
        <g key={value} transform={`translate(0 ${scale(value)})`}>
          <line x1={at} x2={at + reach} stroke={colours.line} strokeOpacity={0.35} />
          <text x={at - 6} dy="0.32em" textAnchor="end" fill={colours.quiet}>
            {say(value)}
          </text>
        </g>
      ))}
      <line x1={at} x2={at} y1={bottom} y2={top} stroke={colours.line} />
      <text x={at - 40} y={top - 8} fill={colours.quiet}>
        {label}
      </text>
    </g>
  );
}
