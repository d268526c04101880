import { armsAgainst, baseArm } from '@shared/experiments/arms-compared';
import { type ArmSummary, type MeasureFigures, measures } from '@shared/experiments/summary';
import { useState } from 'react';
import { Select } from '../../components/Field';
import { Segmented } from '../../components/Tabs';
import { useText } from '../../text/language';
import { FigureText, Nothing } from './FigureText';
import { TableFrame } from './TableFrame';

type Over = keyof MeasureFigures;

/** Key of an arm that has no name: no arm can be called that, names are one line. */
export const NO_ARM = '\n';
export const armKey = (arm: string | null) => arm ?? NO_ARM;

/** Pixels that a table of so many arms needs: its names, and a column for each. */
export const armsWidth = (arms: number) => 180 + arms * 124;

/** The first row of a table with a column for each arm. `first`: name of the column before them; absent: it has none. */
export function ArmHeads({ arms, first }: { arms: readonly ArmSummary[]; first?: string }) {
  const text = useText().experiments;
  return (
    <tr>
      {first === undefined ? <td /> : <th scope="col">{first}</th>}
      {arms.map(({ arm }) => (
        <th key={armKey(arm)} scope="col">
          {text.armName(arm)}
        </th>
      ))}
    </tr>
  );
}

export interface ArmsTableProps {
  name: string;
  arms: readonly ArmSummary[];
}

/** The arms side by side: how they were started, what they came to, and how far they are from one of them. */
export function ArmsTable({ name, arms }: ArmsTableProps) {
  const words = useText();
  const text = words.experiments;
  const [over, setOver] = useState<Over>('overTasks');
  const [chosen, setChosen] = useState<string | null>(null);
  const base = arms.find(({ arm }) => armKey(arm) === chosen) ?? baseArm(arms);
  const differences = base === undefined ? [] : armsAgainst(arms, base.arm);
  const differenceOf = (arm: string | null) => differences.find((each) => each.arm === arm);
  const facts: [string, (arm: ArmSummary) => string][] = [
    [text.models, ({ models }) => words.common.list(models)],
    [text.taskHint, ({ taskHints }) => words.common.list(taskHints.map((mode) => text.taskHintMode(mode)))],
    [text.humanHints, ({ humanHints }) => words.common.list(humanHints.map((word) => text.onOff[word]))],
    [text.tasks, ({ tasks }) => words.common.format.count(tasks)],
    [text.runs, ({ runs }) => words.common.format.count(runs)],
  ];
  return (
    <TableFrame
      title={text.armsTitle}
      note={over === 'overTasks' ? text.overTasksNote : text.overRunsNote}
      file={text.fileName(name, text.armsTitle)}
      rows={[
        [text.arm, text.over, text.measure, text.mean, text.deviation, text.values, text.missing],
        ...arms.flatMap(({ arm, figures }) =>
          (['overTasks', 'overRuns'] as const).flatMap((each) =>
            measures.map((measure) => {
              const { mean, deviation, n, unknown } = figures[measure][each];
              return [text.armName(arm), text[each], text.measures[measure], mean, deviation, n, unknown];
            }),
          ),
        ),
        ...differences.flatMap(({ arm, base: against, figures }) =>
          measures.map((measure) => {
            const { mean, deviation, n, unknown } = figures[measure];
            return [
              ...[text.armName(arm), text.against(text.armName(against)), text.measures[measure]],
              ...[mean, deviation, n, unknown],
            ];
          }),
        ),
      ]}
      head={
        <>
          <Segmented<Over>
            label={text.over}
            items={(['overTasks', 'overRuns'] as const).map((id) => ({ id, label: text[id] }))}
            chosen={over}
            onChoose={setOver}
          />
          {arms.length > 1 && base !== undefined && (
            <Select<string>
              small
              className="experiment-base"
              aria-label={text.baseLabel}
              value={armKey(base.arm)}
              options={arms.map(({ arm }) => ({
                value: armKey(arm),
                label: text.against(text.armName(arm)),
              }))}
              onChoose={setChosen}
            />
          )}
        </>
      }
    >
      <table
        className="experiment-table experiment-arms"
        style={{ minWidth: armsWidth(arms.length) }}
        data-testid="arms"
      >
        <thead>
          <ArmHeads arms={arms} />
        </thead>
        <tbody>
          {facts.map(([label, say]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {arms.map((arm) => (
                <td key={armKey(arm.arm)}>{say(arm)}</td>
              ))}
            </tr>
          ))}
          {measures.map((measure) => (
            <tr key={measure}>
              <th scope="row">{text.measures[measure]}</th>
              {arms.map((arm) => (
                <td key={armKey(arm.arm)}>
                  <FigureText figure={arm.figures[measure][over]} measure={measure} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {base !== undefined && differences.length > 0 && (
          <tbody>
            <tr className="experiment-sub">
              <th scope="rowgroup" colSpan={arms.length + 1}>
                {text.differenceTitle(text.armName(base.arm))}
              </th>
            </tr>
            {measures.map((measure) => (
              <tr key={measure}>
                <th scope="row">{text.measures[measure]}</th>
                {arms.map(({ arm }) => {
                  const figure = differenceOf(arm)?.figures[measure];
                  return (
                    <td key={armKey(arm)}>
                      <FigureText figure={figure} measure={measure} signed />
                    </td>
                  );
                })}
              </tr>
            ))}
            <tr>
              <th scope="row">{text.betterTasks}</th>
              {arms.map(({ arm }) => {
                const found = differenceOf(arm);
                return (
                  <td key={armKey(arm)}>
                    {found === undefined ? (
                      <Nothing />
                    ) : (
                      text.betterWorse(found.better, found.worse, found.tasks)
                    )}
                  </td>
                );
              })}
            </tr>
          </tbody>
        )}
      </table>
    </TableFrame>
  );
}
