import { create } from 'zustand';

export type Mode = 'watch' | 'review' | 'export';
export type DetailTab = 'step' | 'prompt' | 'files' | 'queries' | 'terminals' | 'labels';
export type DialogName =
  | 'newRun'
  | 'import'
  | 'judge'
  | 'rubric'
  | 'plots'
  | 'rules'
  | 'settings'
  | 'shortcuts'
  | 'about';

interface ViewState {
  mode: Mode;
  tab: DetailTab;
  dialog: DialogName | null;
  /** The person's choice for the rail; null follows the window's width. */
  railWide: boolean | null;
  /** The prompt tab shows the changes since the step before. */
  promptChanges: boolean;
  /** The file tab shows one file's history. */
  fileHistory: boolean;
  /** The comment dialog's step, or null. */
  commenting: number | null;
  /** Long texts of the cursor's step are shown whole; ends with the step. */
  expanded: boolean;
  /** And stay so on every step. */
  expandedAll: boolean;
}

/** What is on the screen, apart from the data. Nothing here is stored. */
export const useView = create<ViewState>()(() => ({
  mode: 'watch',
  tab: 'step',
  dialog: null,
  railWide: null,
  promptChanges: false,
  fileHistory: false,
  commenting: null,
  expanded: false,
  expandedAll: false,
}));

export function setMode(mode: Mode): void {
  useView.setState({ mode });
}
export function setTab(tab: DetailTab): void {
  useView.setState((state) => ({ tab, mode: state.mode === 'export' ? 'review' : state.mode }));
}
export function openDialog(dialog: DialogName): void {
  useView.setState({ dialog });
}
export function closeDialog(): void {
  useView.setState({ dialog: null });
}
