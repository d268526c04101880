import type { CommandInput } from '@shared/contract/ipc';
import { useState } from 'react';
import { ColumnHeads } from '../../components/ColumnHeads';
import { FailureLine } from '../../components/FailureLine';
import { Select } from '../../components/Field';
import { useAsked } from '../../state/answers';
import { useText } from '../../text/language';
import { folderName } from '../datasets/DatasetState';
import { Nothing } from './FigureText';

type Other = CommandInput<'experiments.overlap'>['other'];

/** Whether tasks of the experiment are in another set of tasks: one to train on, or one to be evaluated on. */
export function Contamination({ name }: { name: string }) {
  const words = useText();
  const text = words.experiments;
  const [chosen, setChosen] = useState('');
  const experiments = useAsked('experiments.list', undefined).value ?? [];
  const datasets = useAsked('datasets.list', undefined).value ?? [];
  const sets: { label: string; other: Other }[] = [
    ...datasets.map(({ id, folder, writtenAt }) => ({
      label: text.datasetNamed(folderName(folder), words.common.format.stamp(writtenAt)),
      other: { dataset: id },
    })),
    ...experiments.flatMap((each) =>
      each.name === name
        ? []
        : [{ label: text.experimentNamed(each.name), other: { experiment: each.name } }],
    ),
  ];
  const other = sets.find((set) => JSON.stringify(set.other) === chosen)?.other;
  return (
    <section className="experiment-part" aria-label={text.contamination}>
      <header className="experiment-part-head">
        <h3>{text.contamination}</h3>
        {sets.length > 0 && (
          <Select<string>
            small
            className="experiment-base"
            aria-label={text.contaminationWith}
            value={other === undefined ? '' : chosen}
            options={[
              { value: '', label: text.contaminationNone },
              ...sets.map((set) => ({ value: JSON.stringify(set.other), label: set.label })),
            ]}
            onChoose={setChosen}
          />
        )}
      </header>
      <p className="text-12 quiet experiment-note">
        {sets.length === 0 ? text.contaminationNothing : text.contaminationNote}
      </p>
      {other !== undefined && <Overlaps name={name} other={other} />}
    </section>
  );
}

function Overlaps({ name, other }: { name: string; other: Other }) {
  const words = useText();
  const text = words.experiments;
  const { value, failure, waiting } = useAsked('experiments.overlap', { name, other });
  if (failure !== null) return <FailureLine failure={failure} />;
  if (waiting) return <p className="text-12 quiet">{words.common.loading}</p>;
  if (value === null) return <p className="text-12">{text.contaminationUnknown}</p>;
  if (value.length === 0)
    return (
      <p className="text-12" role="status">
        {text.contaminationClean}
      </p>
    );
  return (
    <table className="experiment-table experiment-overlaps" data-testid="overlaps">
      <ColumnHeads heads={[text.task, text.overlapOther, text.overlapKind, text.overlapShared]} />
      <tbody>
        {value.map((overlap) => (
          <tr key={`${overlap.task} ${overlap.other} ${overlap.kind}`}>
            <th scope="row" title={overlap.title}>
              {overlap.title}
            </th>
            <td title={overlap.otherTitle}>{overlap.otherTitle}</td>
            <td>{text.overlapKinds[overlap.kind]}</td>
            <td>
              {overlap.kind === 'package' && overlap.shared === 0 ? (
                // Neither of them has a description.
                <Nothing />
              ) : (
                words.datasets.percent(overlap.shared * 100)
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
