import type { DatasetView } from '@shared/contract/export-views';
import type { ReactNode } from 'react';
import { Button } from '../../components/Button';
import { ChoiceList } from '../../components/ChoiceList';
import { Empty } from '../../components/Empty';
import { FailureLine } from '../../components/FailureLine';
import { useNow } from '../../components/useNow';
import { useAsked } from '../../state/answers';
import { setExportPage, useExportPage } from '../../state/export-page';
import { useText } from '../../text/language';
import { DatasetDetail } from './DatasetDetail';
import { DatasetState, folderName } from './DatasetState';
import './datasets.css';

/** Past exports: a list, and one of them with what its manifest says. */
export function DatasetsPage({ head }: { head: ReactNode }) {
  const words = useText();
  const text = words.datasets;
  const wanted = useExportPage((state) => state.dataset);
  const { value, failure } = useAsked('datasets.list', undefined);
  const list = value ?? [];
  const chosen = list.find(({ id }) => id === wanted) ?? list[0];
  return (
    <>
      <div className="export-settings" data-pane="export">
        {head}
        {failure !== null && <FailureLine failure={failure} />}
        {value === null && failure === null && (
          <p className="export-wait text-12 quiet">{words.common.loading}</p>
        )}
        {list.length > 0 && <DatasetList list={list} chosen={chosen?.id ?? ''} />}
      </div>
      <div className="dataset" data-pane="dataset">
        {chosen === undefined ? (
          value !== null && (
            <Empty icon="folder" title={text.none} text={text.noneText}>
              <Button onClick={() => setExportPage('new')}>{text.newExport}</Button>
            </Empty>
          )
        ) : (
          <DatasetDetail key={chosen.id} dataset={chosen} list={list} />
        )}
      </div>
    </>
  );
}

function DatasetList({ list, chosen }: { list: readonly DatasetView[]; chosen: string }) {
  const words = useText();
  const text = words.datasets;
  const { format } = words.common;
  const now = useNow(60_000);
  return (
    <ChoiceList
      label={text.title}
      items={list}
      idOf={({ id }) => id}
      chosen={chosen}
      onChoose={(dataset) => useExportPage.setState({ dataset })}
    >
      {(dataset) => (
        <>
          <span className="row">
            <b className="medium">{words.exporting.targetName[dataset.format]}</b>
            <span className="space" />
            <span className="text-12 quiet tabular">{format.when(dataset.writtenAt, now)}</span>
          </span>
          <span className="mono-11 quiet cut" title={dataset.folder}>
            {folderName(dataset.folder)}
          </span>
          <span className="row text-12 soft tabular">
            <span className="cut">
              {text.lineFacts(format.count(dataset.records), dataset.records, dataset.variants.length)}
            </span>
            <span className="space" />
            <DatasetState state={dataset.state} />
          </span>
        </>
      )}
    </ChoiceList>
  );
}
