import type { StepHead, Tile } from '@shared/views';
import { create } from 'zustand';
import { call } from '../api';
import { PAGE } from './head-cache';
import type { Filter } from './timeline';
import { useTimeline } from './timeline';
import { toastFailure } from './toasts';

interface FilterState {
  /** Steps that matched when they were looked at, ascending; a step decided since stays until the filter is set anew. */
  steps: number[];
  /** Highest step looked at. */
  scanned: number;
  scanning: boolean;
}

const nothing: FilterState = { steps: [], scanned: 0, scanning: false };
export const useFilter = create<FilterState>()(() => nothing);

/** Whether a step belongs to a filtered timeline. */
export function matches(filter: Filter, head: StepHead): boolean {
  if (filter === 'differ') return head.label.disagreement;
  if (filter === 'decide') return head.done && head.label.value === null;
  return true;
}

/**
 * The pages that must be read to find every undecided step after `from`. Pages whose tiles count none are passed
 * over; what the tiles do not reach yet is read.
 */
export function pagesToScan(filter: Filter, from: number, steps: number, tiles: readonly Tile[]): number[] {
  const pages: number[] = [];
  if (from >= steps) return pages;
  for (let page = Math.floor(from / PAGE); page * PAGE < steps; page++) {
    const first = page * PAGE + 1;
    const last = Math.min(first + PAGE - 1, steps);
    const covering = tiles.filter((tile) => tile.first <= last && tile.first + tile.n - 1 >= first);
    const covered = covering.reduce((sum, tile) => sum + tile.n, 0) >= last - first + 1;
    if (filter === 'decide' && covered && covering.every((tile) => tile.undecided === 0)) continue;
    pages.push(page);
  }
  return pages;
}

let turn = 0;

/** Sets the timeline's filter and looks for its steps, page by page, without holding up the window. */
export function setFilter(filter: Filter): void {
  turn += 1;
  useTimeline.setState({ filter, anchor: null });
  useFilter.setState({ ...nothing, scanning: filter !== 'all' });
  if (filter !== 'all') scan(filter, turn).catch((thrown: unknown) => toastFailure(thrown));
}

/** Looks at the steps that came since; called when the run has grown. */
export function continueFilter(): void {
  const { filter, steps } = useTimeline.getState();
  const { scanning, scanned } = useFilter.getState();
  if (filter === 'all' || scanning || scanned >= steps) return;
  useFilter.setState({ scanning: true });
  scan(filter, turn).catch((thrown: unknown) => toastFailure(thrown));
}

async function scan(filter: Filter, mine: number): Promise<void> {
  const { run, steps, tiles } = useTimeline.getState();
  if (run === null) return;
  const start = useFilter.getState().scanned;
  for (const page of pagesToScan(filter, start, steps, tiles)) {
    const first = Math.max(page * PAGE + 1, start + 1);
    const heads = await call('timeline.heads', { run, from: first, to: Math.min((page + 1) * PAGE, steps) });
    if (turn !== mine) return;
    const found = heads.filter((head) => matches(filter, head)).map((head) => head.step);
    // A step still under way is looked at again when it is done.
    const open = heads.find((head) => !head.done)?.step;
    useFilter.setState((state) => ({
      steps: found.length === 0 ? state.steps : [...state.steps, ...found.filter((step) => step !== open)],
      scanned: (open ?? Math.min((page + 1) * PAGE, steps) + 1) - 1,
    }));
  }
  if (turn === mine) {
    useFilter.setState((state) => ({
      scanning: false,
      scanned: state.scanned === start ? steps : state.scanned,
    }));
  }
}
