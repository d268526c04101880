import type { ExperimentRun } from '@shared/experiments/experiment-run';
import { effectOfHints, effortOf } from '@shared/experiments/hints-and-effort';
import type { ArmSummary } from '@shared/experiments/summary';
import { ColumnHeads } from '../../components/ColumnHeads';
import { useText } from '../../text/language';
import { armKey } from './ArmsTable';
import { FigureText } from './FigureText';
import { TableFrame } from './TableFrame';

export interface HintsAndEffortProps {
  name: string;
  arms: readonly ArmSummary[];
  runs: readonly ExperimentRun[];
}

/** Scores around the hints of each arm, by category. */
export function HintsTable({ name, arms, runs }: HintsAndEffortProps) {
  const words = useText();
  const text = words.experiments;
  const effects = arms.flatMap(({ arm }) =>
    effectOfHints(ofArm(runs, arm)).map((effect) => ({ arm, ...effect })),
  );
  if (effects.length === 0) return null;
  const say = words.hints.categoryName;
  return (
    <TableFrame
      title={text.hintsTitle}
      note={text.hintsNote}
      file={text.fileName(name, text.hintsTitle)}
      rows={[
        [
          ...[text.arm, text.category, text.hints, text.before, text.after, text.change],
          ...[text.changeDeviation, text.paired, text.betterLater, text.stepsToBetter],
        ],
        ...effects.map(({ arm, category, hints, before, after, change, better, stepsToBetter }) => [
          ...[text.armName(arm), say(category), hints, before.mean, after.mean, change.mean],
          ...[change.deviation, change.n, better, stepsToBetter.mean],
        ]),
      ]}
    >
      <table className="experiment-table" data-testid="hint-effect">
        <ColumnHeads
          heads={[
            ...[text.arm, text.category, text.hints, text.before, text.after, text.change],
            ...[text.betterLater, text.stepsToBetter],
          ]}
        />
        <tbody>
          {effects.map((effect) => (
            <tr key={`${armKey(effect.arm)} ${effect.category}`}>
              <th scope="row" title={text.armName(effect.arm)}>
                {text.armName(effect.arm)}
              </th>
              <td>{say(effect.category)}</td>
              <td>{words.common.format.count(effect.hints)}</td>
              <td>
                <FigureText figure={effect.before} measure="final" />
              </td>
              <td>
                <FigureText figure={effect.after} measure="final" />
              </td>
              <td>
                <FigureText figure={effect.change} measure="final" signed />
              </td>
              <td>{text.ofAll(effect.better, effect.hints)}</td>
              <td>
                <FigureText figure={effect.stepsToBetter} measure="steps" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

/** What each arm took of people, and what its runs cost. */
export function EffortTable({ name, arms, runs }: HintsAndEffortProps) {
  const words = useText();
  const text = words.experiments;
  const { format } = words.common;
  const efforts = arms.map(({ arm, figures }) => ({
    arm,
    cost: figures.cost.overRuns,
    ...effortOf(ofArm(runs, arm)),
  }));
  const decimal = (value: number | null) => (value === null ? '–' : value.toFixed(1));
  type Row = (typeof efforts)[number];
  const kept = (effort: Row, value: number | null) =>
    effort.reviewMinutes === null ? text.withheld : decimal(value);
  const columns: [head: string, say: (effort: Row) => string, value: (effort: Row) => number | null][] = [
    [text.hints, ({ hints }) => format.count(hints), ({ hints }) => hints],
    [text.words, ({ words: all }) => format.count(all), ({ words: all }) => all],
    [text.watchMinutes, (each) => decimal(each.watchMinutes), (each) => each.watchMinutes],
    [text.looksPerHour, (each) => decimal(each.looksPerHour), (each) => each.looksPerHour],
    [text.reviewMinutes, (each) => kept(each, each.reviewMinutes), (each) => each.reviewMinutes],
    [
      text.reviewedSteps,
      ({ reviewedSteps }) => (reviewedSteps === null ? text.withheld : format.count(reviewedSteps)),
      ({ reviewedSteps }) => reviewedSteps,
    ],
    [text.labelsPerMinute, (each) => kept(each, each.labelsPerMinute), (each) => each.labelsPerMinute],
    [text.minutesPerRun, (each) => kept(each, each.minutesPerRun), (each) => each.minutesPerRun],
  ];
  return (
    <TableFrame
      title={text.effortTitle}
      note={text.effortNote}
      file={text.fileName(name, text.effortTitle)}
      rows={[
        [text.arm, ...columns.map(([head]) => head), text.costOfRun],
        ...efforts.map((effort) => [
          ...[text.armName(effort.arm), ...columns.map(([, , value]) => value(effort)), effort.cost.mean],
        ]),
      ]}
    >
      <table className="experiment-table" data-testid="effort">
        <ColumnHeads heads={[text.arm, ...columns.map(([head]) => head), text.costOfRun]} />
        <tbody>
          {efforts.map((effort) => (
            <tr key={armKey(effort.arm)}>
              <th scope="row" title={text.armName(effort.arm)}>
                {text.armName(effort.arm)}
              </th>
              {columns.map(([head, say]) => (
                <td key={head}>{say(effort)}</td>
              ))}
              <td>
                <FigureText figure={effort.cost} measure="cost" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function ofArm(runs: readonly ExperimentRun[], arm: string | null): ExperimentRun[] {
  return runs.filter((run) => run.arm === arm && !run.branch);
}
