import type { DatasetView } from '@shared/contract/export-views';
import { useState } from 'react';
import { call } from '../../api';
import { Button } from '../../components/Button';
import { ColumnHeads } from '../../components/ColumnHeads';
import { FactList } from '../../components/FactList';
import { Select } from '../../components/Field';
import { Icon } from '../../components/Icon';
import { answers } from '../../state/answer-cache';
import { useRuns } from '../../state/run/runs';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { startExport } from '../jobs/jobs';
import { DatasetComposition } from './DatasetComposition';
import { DatasetDifferenceView } from './DatasetDifferenceView';
import { DatasetState, folderName } from './DatasetState';
import { RecordOrigin } from './RecordOrigin';

export interface DatasetDetailProps {
  dataset: DatasetView;
  list: readonly DatasetView[];
}

/** One past export: its files and counts, how it was made, what differs from another, where a record is from. */
export function DatasetDetail({ dataset, list }: DatasetDetailProps) {
  const words = useText();
  const text = words.datasets;
  const { format } = words.common;
  const [other, setOther] = useState('');
  const others = list.filter(({ id }) => id !== dataset.id);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard
    <section className="dataset-detail" aria-label={text.dataset} tabIndex={0} data-testid="dataset">
      <header className="dataset-head">
        <div>
          <h2 className="text-15">{folderName(dataset.folder)}</h2>
          <p className="mono-12 quiet dataset-path">{dataset.folder}</p>
        </div>
        <span className="space" />
        <Button
          icon="folder"
          disabled={dataset.state === 'missing'}
          onClick={() => attempt(() => call('datasets.openFolder', { dataset: dataset.id }))}
        >
          {words.jobs.openFolder}
        </Button>
        <Button
          look="primary"
          icon="repeat"
          onClick={() => attempt(() => startExport(() => call('datasets.again', { dataset: dataset.id })))}
        >
          {text.again}
        </Button>
      </header>
      {dataset.state !== 'there' && (
        <p className="dataset-trouble text-12" role="note">
          <Icon name="warning" small />
          <span>{dataset.state === 'missing' ? text.missingText : text.changedText}</span>
          <Button
            look="ghost"
            small
            onClick={() =>
              attempt(async () => {
                await call('datasets.forget', { dataset: dataset.id });
                await answers.invalidateQueries({ queryKey: ['datasets.list'] });
              })
            }
          >
            {text.forget}
          </Button>
        </p>
      )}
      <div className="dataset-columns">
        <section aria-label={text.contents}>
          <h3>{text.contents}</h3>
          <FactList
            facts={[
              [text.target, words.exporting.targetName[dataset.format]],
              [text.writtenAt, format.stamp(dataset.writtenAt)],
              [text.recordsName, format.count(dataset.records)],
              [text.trained, format.count(dataset.trained)],
              [text.masked, format.count(dataset.masked)],
              [
                text.variants,
                words.common.list(dataset.variants.map((variant) => words.exporting.variantName[variant])),
              ],
              [text.redacted, text.redactedCount(format.count(dataset.redacted), dataset.redacted)],
              [text.size, format.bytes(dataset.bytes)],
            ]}
          />
          <p className="row">
            <span className="quiet dataset-term">{text.files}</span>
            <DatasetState state={dataset.state} />
          </p>
        </section>
        <section aria-label={text.madeWith}>
          <h3>{text.madeWith}</h3>
          <FactList facts={useOptionFacts(dataset)} />
          <p className="dataset-hash">
            <span className="quiet dataset-term">{words.exporting.snapshotName}</span>
            <span className="mono-12">{`${dataset.snapshot.slice(0, 16)}…`}</span>
          </p>
        </section>
      </div>
      {dataset.composition !== undefined && <DatasetComposition shares={dataset.composition} />}
      <section aria-label={text.files}>
        <h3>{text.files}</h3>
        <table className="dataset-files text-12">
          <ColumnHeads heads={[text.file, text.recordsName, text.size, text.hash]} />
          <tbody>
            {dataset.files.map((file) => (
              <tr key={file.path}>
                <th scope="row" className="mono-12">
                  {file.path}
                </th>
                <td className="tabular">{file.records === 0 ? '' : format.count(file.records)}</td>
                <td className="tabular">{format.bytes(file.bytes)}</td>
                <td className="mono-12 quiet" title={file.sha256}>
                  {`${file.sha256.slice(0, 16)}…`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <RecordOrigin dataset={dataset} />
      <section aria-label={text.difference}>
        <h3>{text.difference}</h3>
        {others.length === 0 ? (
          <p className="quiet text-12">{text.noOther}</p>
        ) : (
          <Select<string>
            className="dataset-other"
            aria-label={text.compareWith}
            value={other}
            options={[
              { value: '', label: text.compareNone },
              ...others.map(({ id, format: target, writtenAt, folder }) => ({
                value: id,
                label: text.otherName(
                  words.exporting.targetName[target],
                  folderName(folder),
                  format.stamp(writtenAt),
                ),
              })),
            ]}
            onChoose={setOther}
          />
        )}
        {other !== '' && <DatasetDifferenceView a={other} b={dataset.id} list={list} />}
      </section>
    </section>
  );
}

/** How a dataset was made, in words. */
function useOptionFacts({ options }: DatasetView): [string, string][] {
  const words = useText();
  const text = words.exporting;
  const runs = useRuns((state) => state.list);
  const names = options.runs.map((run) => runs.find(({ id }) => id === run)?.title ?? run.slice(-6));
  const filters = Object.keys(options.filter);
  return [
    [
      text.runs,
      names.length === 0
        ? words.datasets.allRuns
        : names.length > 3
          ? words.datasets.runCount(names.length)
          : words.common.list(names),
    ],
    ...(filters.length > 0
      ? [[text.filter, words.common.list(filters.map(text.filteredBy))] as [string, string]]
      : []),
    [text.preset, options.preset === 'apollo' ? text.presetApollo : text.presetDefault],
    [text.undecided, text.undecidedShort[options.undecided]],
    ...(options.split === undefined
      ? []
      : [[text.split, text.splitFact(options.split.share * 100, options.split.seed)] as [string, string]]),
    [text.redact, text.redactName[options.redact]],
    [text.argumentsForm, text.argumentsName[options.arguments]],
    [text.compression, text.compressionName[options.compression]],
  ];
}
