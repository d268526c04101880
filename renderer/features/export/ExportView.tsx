import { Tabs } from '../../components/Tabs';
import { type ExportPage, setExportPage, useExportPage } from '../../state/export-page';
import { useRuns } from '../../state/run/runs';
import { useText } from '../../text/language';
import { DatasetsPage } from '../datasets/DatasetsPage';
import { ExperimentsPage } from '../experiments/lazy-experiments';
import { ExportPreview } from './ExportPreview';
import { ExportSettings } from './ExportSettings';
import { useExport } from './export-state';
import { FindingsDialog } from './FindingsDialog';
import { TargetDialog } from './TargetDialog';
import { usePreview } from './use-preview';
import './export.css';

export interface ExportViewProps {
  run: string | null;
}

/** What a dataset would hold and how a trainer would see it, before a byte is written; and what was written before. */
export function ExportView({ run }: ExportViewProps) {
  const text = useText().exporting;
  const page = useExportPage((state) => state.page);
  return (
    <section className="export" aria-label={text.title} data-page={page}>
      {page === 'new' && <NewExport run={run} />}
      {page === 'datasets' && <DatasetsPage head={<PageTabs />} />}
      {page === 'experiments' && <ExperimentsPage head={<PageTabs />} waiting={<PageTabs />} />}
    </section>
  );
}

function PageTabs() {
  const text = useText().exporting;
  const page = useExportPage((state) => state.page);
  return (
    <header className="export-tabs">
      <Tabs<ExportPage>
        label={text.pages}
        items={[
          { id: 'new', label: text.pageNew },
          { id: 'datasets', label: text.pageDatasets },
          { id: 'experiments', label: text.pageExperiments },
        ]}
        chosen={page}
        onChoose={setExportPage}
      />
    </header>
  );
}

function NewExport({ run }: ExportViewProps) {
  const draft = useExport((state) => state.draft);
  const findings = useExport((state) => state.findings);
  const targets = useExport((state) => state.targets);
  const runs = useRuns((state) => state.list);
  const preview = usePreview(draft, run, runs);
  return (
    <>
      <ExportSettings head={<PageTabs />} run={run} preview={preview} />
      <ExportPreview preview={preview} />
      {findings && <FindingsDialog options={preview.options} version={preview.version} />}
      {targets && <TargetDialog />}
    </>
  );
}
