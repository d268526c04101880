import type { RunStats } from '@shared/runs/run-stats';
import { useState } from 'react';
import { Tabs } from '../../components/Tabs';
import { useText } from '../../text/language';
import { CurvesPlot } from '../plots/CurvesPlot';

const HOUR = 3_600_000;
type Across = 'steps' | 'time';

/** The scores of two runs over steps or working hours. */
export function PairScores({ one, other }: { one: RunStats; other: RunStats }) {
  const words = useText();
  const text = words.experiments;
  const [chosen, setAcross] = useState<Across>('steps');
  const timed = one.workingMs !== null && other.workingMs !== null;
  const across = timed ? chosen : 'steps';
  const sides = [one, other].map((stats, nth) => ({
    name: text.sideName(nth === 0 ? 'A' : 'B', stats.title),
    scored: stats.evaluations.flatMap(({ step, workingMs, score }) =>
      score === null ? [] : [{ step, hours: workingMs === null ? null : workingMs / HOUR, score }],
    ),
  }));
  return (
    <div className="experiment-pair-plot">
      <CurvesPlot
        title={text.pairScores}
        summary={text.pairSummary(
          sides.map(({ name, scored }) => ({
            name,
            n: scored.length,
            best: scored.length === 0 ? null : Math.max(...scored.map(({ score }) => score)).toFixed(1),
          })),
        )}
        across={across === 'time' ? words.plots.workingHours : words.plots.steps}
        steps
        curves={sides.map(({ name, scored }) => ({
          name,
          points: scored.map(({ step, hours, score }) => ({
            x: across === 'time' ? (hours ?? 0) : step,
            y: score,
            say: words.plots.scoreAt(step, words.common.format.score(score)),
          })),
        }))}
        rows={[
          [text.run, words.plots.step, words.plots.workingHours, words.plots.score],
          ...sides.flatMap(({ name, scored }) =>
            scored.map(({ step, hours, score }) => [name, step, hours, score]),
          ),
        ]}
        head={
          timed && (
            <Tabs<Across>
              look="segmented"
              label={words.plots.across}
              items={[
                { id: 'steps', label: words.plots.bySteps },
                { id: 'time', label: words.plots.byTime },
              ]}
              chosen={across}
              onChoose={setAcross}
            />
          )
        }
      />
    </div>
  );
}
