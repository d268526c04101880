import type { ExperimentRun } from '@shared/experiments/experiment-run';
import { scalingCurve } from '@shared/experiments/scaling-curve';
import type { ArmSummary } from '@shared/experiments/summary';
import { useMemo } from 'react';
import { useText } from '../../text/language';
import { CurvesPlot } from '../plots/CurvesPlot';

export interface ScalingPlotProps {
  arms: readonly ArmSummary[];
  runs: readonly ExperimentRun[];
}

/** Mean over tasks of the last score at or before each hour of working time, a curve for each arm. */
export function ScalingPlot({ arms, runs }: ScalingPlotProps) {
  const words = useText();
  const text = words.experiments;
  const curves = useMemo(
    () =>
      arms.map(({ arm }) => ({
        arm,
        points: scalingCurve(runs.filter((run) => run.arm === arm && !run.branch)),
      })),
    [arms, runs],
  );
  return (
    <CurvesPlot
      title={text.scaling}
      summary={text.scalingSummary}
      across={words.plots.workingHours}
      curves={curves.map(({ arm, points }) => ({
        name: text.armName(arm),
        points: points.flatMap(({ hour, score, tasks, of }) =>
          score === null
            ? []
            : [
                {
                  x: hour,
                  y: score,
                  say: text.scalingPoint(text.armName(arm), hour, score.toFixed(1), tasks, of),
                },
              ],
        ),
      }))}
      rows={[
        [text.arm, text.hour, words.plots.score, text.tasksScored, text.tasks],
        ...curves.flatMap(({ arm, points }) =>
          points.map(({ hour, score, tasks, of }) => [text.armName(arm), hour, score, tasks, of]),
        ),
      ]}
    />
  );
}
