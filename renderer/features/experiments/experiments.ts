import type { ExperimentListing } from '@shared/experiments/experiment-run';
import { create } from 'zustand';
import { call } from '../../api';
import { askAhead } from '../../state/answer-cache';
import { setExportPage, useExportPage } from '../../state/export-page';
import { useRuns } from '../../state/run/runs';
import { attempt, toast } from '../../state/toasts';
import { setMode, useView } from '../../state/view';

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

/** How long the page waits at most for what it will read to be known, ms. */
const HELD_MS = 100;

/**
 * Goes to the experiments. Drawing the page keeps this thread busy, so what it shows is asked for first, and read meanwhile.
 */
export async function showExperiments(): Promise<void> {
  const isShown = useView.getState().mode === 'export' && useExportPage.getState().page === 'experiments';
  if (!isShown) await Promise.race([readAhead(), new Promise((resolve) => setTimeout(resolve, HELD_MS))]);
  useExperiments.setState({ pair: null });
  setExportPage('experiments');
  setMode('export');
}

/** Resolves once both are asked for. A failure is said by the page, which asks the same. */
async function readAhead(): Promise<void> {
  try {
    const list = await askAhead('experiments.list', undefined);
    const { name } = chosenOf(list, useExperiments.getState().name) ?? {};
    if (name !== undefined) askAhead('experiments.show', { name }).catch(() => undefined);
  } catch {
    // As above.
  }
}

/** The experiment that the page shows: the one that was chosen while there is one of that name, else the newest. */
export function chosenOf(
  list: readonly ExperimentListing[],
  name: string | null,
): ExperimentListing | undefined {
  return list.find((each) => each.name === name) ?? list[0];
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
