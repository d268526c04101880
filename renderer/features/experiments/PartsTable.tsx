import { type ArmSummary, type Measure, measures, type Summary } from '@shared/experiments/summary';
import { useState } from 'react';
import { Select } from '../../components/Field';
import { Segmented } from '../../components/Tabs';
import { useText } from '../../text/language';
import { ArmHeads, type ArmsTableProps, armKey, armsWidth } from './ArmsTable';
import { FigureText } from './FigureText';
import { TableFrame } from './TableFrame';

type By = 'domain' | 'task';

interface Part {
  key: string;
  label: string;
  /** Of each arm, in their order; undefined where it has no run of it. */
  summaries: (Summary | undefined)[];
}

/** One measure by domain or by task, the arms side by side. */
export function PartsTable({ name, arms }: ArmsTableProps) {
  const text = useText().experiments;
  const [by, setBy] = useState<By>('domain');
  const [measure, setMeasure] = useState<Measure>('final');
  const parts = by === 'domain' ? domainsOf(arms, text.noDomain) : tasksOf(arms);
  const over = by === 'domain' ? 'overTasks' : 'overRuns';
  return (
    <TableFrame
      title={text.partsTitle[by]}
      note={by === 'domain' ? text.overTasksNote : text.overRunsNote}
      file={text.fileName(name, text.partsTitle[by])}
      rows={[
        [text[by], text.arm, text.measure, text.mean, text.deviation, text.values, text.missing],
        ...parts.flatMap(({ key, summaries }) =>
          arms.flatMap(({ arm }, nth) =>
            measures.flatMap((each) => {
              const figure = summaries[nth]?.figures[each][over];
              if (figure === undefined) return [];
              const { mean, deviation, n, unknown } = figure;
              return [[key, text.armName(arm), text.measures[each], mean, deviation, n, unknown]];
            }),
          ),
        ),
      ]}
      head={
        <>
          <Segmented<By>
            label={text.by}
            items={(['domain', 'task'] as const).map((id) => ({ id, label: text[id] }))}
            chosen={by}
            onChoose={setBy}
          />
          <Select<Measure>
            small
            className="experiment-base"
            aria-label={text.measure}
            value={measure}
            options={measures.map((value) => ({ value, label: text.measures[value] }))}
            onChoose={setMeasure}
          />
        </>
      }
    >
      <table
        className="experiment-table experiment-arms"
        style={{ minWidth: armsWidth(arms.length) }}
        data-testid="parts"
      >
        <thead>
          <ArmHeads arms={arms} first={text[by]} />
        </thead>
        <tbody>
          {parts.map(({ key, label, summaries }) => (
            <tr key={key}>
              <th scope="row" title={label === key ? label : `${label} (${key})`}>
                {label}
              </th>
              {arms.map(({ arm }, nth) => {
                const figure = summaries[nth]?.figures[measure][over];
                return (
                  <td key={armKey(arm)}>
                    <FigureText figure={figure} measure={measure} />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function domainsOf(arms: readonly ArmSummary[], none: string): Part[] {
  const domains = new Set(arms.flatMap(({ byDomain }) => byDomain.map(({ domain }) => domain)));
  return [...domains].map((domain) => ({
    key: domain ?? none,
    label: domain ?? none,
    summaries: arms.map(({ byDomain }) => byDomain.find((part) => part.domain === domain)),
  }));
}

function tasksOf(arms: readonly ArmSummary[]): Part[] {
  const titles = new Map(arms.flatMap(({ byTask }) => byTask.map(({ task, title }) => [task, title])));
  return [...titles].map(([task, title]) => ({
    key: task,
    label: title === '' ? task : title,
    summaries: arms.map(({ byTask }) => byTask.find((part) => part.task === task)),
  }));
}
