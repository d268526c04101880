import type { RunStats, WorkingMs } from '@shared/runs/run-stats';
import { scaleLinear } from 'd3-scale';
import { curveStepAfter, line } from 'd3-shape';
import { useState } from 'react';
import { Tabs } from '../../components/Tabs';
import { moveCursor } from '../../state/run/timeline';
import { useText } from '../../text/language';
import { BottomAxis, LeftAxis } from './Axes';
import { PlotFrame } from './PlotFrame';
import { usePlotColours } from './plot-colours';

type Across = 'time' | 'steps';
const width = 860;
const left = 56;
const right = width - 16;
const hour = 3_600_000;

/** Score and cost over the same working time or steps, with evaluations and hints where they came. */
export function ScorePlot({ stats }: { stats: RunStats }) {
  const text = useText();
  const words = text.plots;
  const { format } = text.common;
  const colours = usePlotColours();
  const [chosen, setAcross] = useState<Across>('steps');
  // A log that does not say when the run worked, as an imported one, has steps only.
  const across = stats.workingMs === null ? 'steps' : chosen;
  const span = Math.max(1, stats.workingMs ?? 0);
  const x = scaleLinear()
    .domain(across === 'time' ? [0, span / hour] : [0, Math.max(1, stats.steps)])
    .range([left, right]);
  const place = ({ step, workingMs }: { step: number; workingMs: WorkingMs }) =>
    x(across === 'time' ? (workingMs ?? 0) / hour : step);
  const scored = stats.evaluations.flatMap((each) =>
    each.score === null ? [] : [{ ...each, score: each.score }],
  );
  const score = scaleLinear()
    .domain([0, scoreCeiling(scored.map((each) => each.score))])
    .range([180, 28]);
  const priced = stats.points.some(({ cost }) => cost !== null);
  const spent = stats.points.map((point) => ({
    ...point,
    value: priced ? (point.cost ?? 0) : point.input + point.output,
  }));
  const cost = scaleLinear()
    .domain([0, Math.max(priced ? 0.01 : 1, ...spent.map(({ value }) => value))])
    .nice()
    .range([340, 236]);
  const best = Math.max(0, ...scored.map((each) => each.score));
  const last = spent.at(-1)?.value ?? 0;
  const written = roomyLabels(scored.map((each) => ({ at: place(each), score: each.score })));
  const sayCost = (value: number) => (priced ? format.money(value) : format.compact(value));
  const scoreLine = line<(typeof scored)[number]>(place, (each) => score(each.score)).curve(curveStepAfter);
  const costLine = line<(typeof spent)[number]>(place, ({ value }) => cost(value));
  return (
    <PlotFrame
      title={words.score}
      summary={words.scoreSummary(
        format.count(stats.evaluations.length),
        scored.length === 0 ? text.common.unknown : format.score(best),
        format.count(stats.hints.reduce((sum, { count }) => sum + count, 0)),
        sayCost(last),
      )}
      width={width}
      height={380}
      rows={[
        [
          words.step,
          words.workingHours,
          words.what,
          words.score,
          words.cost,
          words.tokensIn,
          words.tokensOut,
        ],
        ...stats.evaluations.map((each) => [
          ...[each.step, hours(each.workingMs), each.forced ? words.finalEvaluation : words.evaluation],
          ...[each.score, null, null, null],
        ]),
        ...stats.hints.map((each) => [each.step, hours(each.workingMs), words.hint, null, null, null, null]),
        ...stats.points.map((each) => [
          ...[each.step, hours(each.workingMs), words.answer, null],
          ...[each.cost, each.input, each.output],
        ]),
      ]}
      head={
        <Tabs<Across>
          look="segmented"
          label={words.across}
          items={[
            { id: 'steps', label: words.bySteps },
            ...(stats.workingMs === null ? [] : [{ id: 'time' as const, label: words.byTime }]),
          ]}
          chosen={across}
          onChoose={setAcross}
        />
      }
    >
      <LeftAxis scale={score} at={left} reach={right - left} label={words.score} say={String} />
      {stats.hints.map((each) => (
        <g key={`${each.step}-${each.at}`} transform={`translate(${place(each)} 0)`}>
          <line y1={22} y2={340} stroke={colours.hint} strokeDasharray="2 3" />
          <path d="M-5 8h10v8h-6l-3 3v-3h-1z" fill={colours.hint} />
          <title>{words.hintAt(each.step)}</title>
        </g>
      ))}
      <path d={scoreLine(scored) ?? ''} fill="none" stroke={colours.text} strokeWidth={1.5} />
      {scored.map((each, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the table and the timeline lead there by keyboard
        <g
          key={`${each.step}-${each.at}`}
          className="plot-mark"
          transform={`translate(${place(each)} ${score(each.score)})`}
          onClick={() => moveCursor(each.step)}
        >
          <path
            d="M0-5L5 0L0 5L-5 0Z"
            fill={each.forced ? colours.text : colours.ground}
            stroke={colours.text}
          />
          {written.has(index) && (
            <text y={-9} textAnchor="middle" fill={colours.text}>
              {format.score(each.score)}
            </text>
          )}
          <title>{words.scoreAt(each.step, format.score(each.score))}</title>
        </g>
      ))}
      <LeftAxis
        scale={cost}
        at={left}
        reach={right - left}
        label={priced ? words.cost : words.tokens}
        ticks={3}
        say={sayCost}
      />
      <path d={costLine(spent) ?? ''} fill="none" stroke={colours.accent} strokeWidth={1.5} />
      <BottomAxis
        scale={x}
        at={340}
        reach={312}
        label={across === 'time' ? words.workingHours : words.steps}
        say={(value) => format.count(value)}
      />
    </PlotFrame>
  );
}

/** 100 where scores come near it, else a round number above the best, so that small scores keep their differences. */
export function scoreCeiling(scores: readonly number[]): number {
  const best = Math.max(0, ...scores);
  if (best > 50) return Math.max(100, best);
  return best === 0
    ? 1
    : (scaleLinear()
        .domain([0, best * 1.1])
        .nice()
        .domain()[1] ?? best);
}

/** Marks whose score is written: the best, the last, then the others from the left, none over another. */
export function roomyLabels(marks: readonly { at: number; score: number }[]): ReadonlySet<number> {
  const best = marks.reduce((top, each, index) => (each.score > (marks[top]?.score ?? 0) ? index : top), 0);
  const chosen: number[] = [];
  for (const index of [best, marks.length - 1, ...marks.keys()]) {
    const at = marks[index]?.at;
    if (at === undefined) continue;
    if (chosen.every((other) => Math.abs((marks[other]?.at ?? 0) - at) >= LABEL_WIDTH)) chosen.push(index);
  }
  return new Set(chosen);
}
const LABEL_WIDTH = 32;

function hours(ms: WorkingMs): number | null {
  return ms === null ? null : Math.round((ms / hour) * 1000) / 1000;
}
