import type { DatasetView } from '@shared/contract/export-views';
import { type ReactNode, useRef } from 'react';
import { Button } from '../../components/Button';
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
  const box = useRef<HTMLDivElement>(null);
  const at = Math.max(
    0,
    list.findIndex(({ id }) => id === chosen),
  );
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    j: 1,
    k: -1,
    Home: -list.length,
    End: list.length,
  };
  return (
    <div
      ref={box}
      role="listbox"
      tabIndex={0}
      aria-label={text.title}
      aria-activedescendant={`dataset-${chosen}`}
      className="dataset-list"
      onKeyDown={(event) => {
        const by = moves[event.key];
        if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        const next = list[Math.max(0, Math.min(list.length - 1, at + by))];
        if (next !== undefined) {
          useExportPage.setState({ dataset: next.id });
          document.getElementById(`dataset-${next.id}`)?.scrollIntoView({ block: 'nearest' });
        }
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {list.map((dataset) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the arrow keys
        // biome-ignore lint/a11y/useFocusableInteractive: the list holds the focus
        <div
          key={dataset.id}
          id={`dataset-${dataset.id}`}
          role="option"
          aria-selected={dataset.id === chosen}
          className="dataset-line"
          onClick={() => useExportPage.setState({ dataset: dataset.id })}
        >
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
        </div>
      ))}
    </div>
  );
}
