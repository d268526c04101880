import { create } from 'zustand';
import { setMode } from './view';

export type ExportPage = 'new' | 'datasets' | 'experiments';

interface ExportPageState {
  page: ExportPage;
  /** The dataset on the dataset page, by its id; null: the newest. */
  dataset: string | null;
}

/** Which page of Export is on the screen; jobs and steps lead there. */
export const useExportPage = create<ExportPageState>()(() => ({ page: 'new', dataset: null }));

export function setExportPage(page: ExportPage): void {
  useExportPage.setState({ page });
}

/** Goes to a past export. */
export function showDataset(dataset: string): void {
  useExportPage.setState({ page: 'datasets', dataset });
  setMode('export');
}
