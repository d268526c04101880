import { create } from 'zustand';
import { call } from '../../api';
import { setExportPage } from '../../state/export-page';
import { useRuns } from '../../state/run/runs';
import { attempt, toast } from '../../state/toasts';
import { setMode } from '../../state/view';

/** Two runs, by their ids. */
export interface Pair {
  a: string;
  b: string;
}

interface ExperimentsState {
  /** The experiment on the page; null: the newest. */
  name: string | null;
  /** Two runs side by side, in place of the experiment. */
  pair: Pair | null;
}

export const useExperiments = create<ExperimentsState>()(() => ({ name: null, pair: null }));

/** Goes to the experiments. */
export function showExperiments(): void {
  useExperiments.setState({ pair: null });
  setExportPage('experiments');
  setMode('export');
}

/** Sets two runs side by side. */
export function compareRuns(pair: Pair): void {
  useExperiments.setState({ pair });
  setExportPage('experiments');
  setMode('export');
}

/** The open run beside another of its task, else beside any other. @returns false where there is none. */
export function compareOpenRun(): boolean {
  const { list, current } = useRuns.getState();
  const open = list.find(({ id }) => id === current);
  const others = list.filter(({ id }) => id !== current);
  const other = others.find(({ task }) => task.id === open?.task.id) ?? others[0];
  if (open === undefined || other === undefined) return false;
  compareRuns({ a: open.id, b: other.id });
  return true;
}

/** Saves a text where the person says. */
export function saveText(name: string, format: 'csv' | 'md', content: string): void {
  attempt(async () => {
    const done = await call('plots.save', { name: name.slice(0, 80), format, content });
    if (done !== null) toast((text) => text.plots.saved(done.path));
  });
}
