import type { SearchHit } from '@shared/views';
import { create } from 'zustand';
import { call } from '../api';
import { moveCursor, useTimeline } from './timeline';
import { toast, toastFailure } from './toasts';

interface SearchState {
  query: string;
  /** First hits from the start of the run, by step. */
  hits: SearchHit[];
  total: number;
  /** Steps the index has not reached yet. */
  behind: number;
  /** True when the answer for `query` is there. */
  answered: boolean;
}

const LIMIT = 200;
const nothing: SearchState = { query: '', hits: [], total: 0, behind: 0, answered: false };
export const useSearch = create<SearchState>()(() => nothing);

let turn = 0;

/** Searches the open run; the newest query wins. An empty one clears the search. */
export function setQuery(query: string): void {
  turn += 1;
  const mine = turn;
  const { run } = useTimeline.getState();
  if (query.trim() === '' || run === null) {
    useSearch.setState({ ...nothing, query });
    return;
  }
  useSearch.setState({ query, answered: false });
  call('timeline.search', { run, query, from: 0, direction: 1, limit: LIMIT }).then(
    (page) => {
      if (turn === mine) useSearch.setState({ ...page, answered: true });
    },
    (thrown: unknown) => toastFailure(thrown),
  );
}

export function clearSearch(): void {
  turn += 1;
  useSearch.setState(nothing);
}

/** The hit to go to from a step: the nearest beyond it in that direction, among the hits that were read. */
export function nearestHit(
  hits: readonly SearchHit[],
  from: number,
  direction: 1 | -1,
): SearchHit | undefined {
  return direction === 1
    ? hits.find((hit) => hit.step > from)
    : [...hits].reverse().find((hit) => hit.step < from);
}

/** 1-based place of the step among the hits, or 0 when it is none of those read. */
export function placeOf(hits: readonly SearchHit[], step: number): number {
  return hits.findIndex((hit) => hit.step === step) + 1;
}

/** Puts the cursor on the next or previous match. */
export async function stepThroughMatches(direction: 1 | -1): Promise<void> {
  const { run, cursor } = useTimeline.getState();
  const { query, hits, total } = useSearch.getState();
  if (run === null || query.trim() === '') return;
  let hit = nearestHit(hits, cursor, direction);
  if (total > hits.length && (hit === undefined || direction === -1)) {
    const page = await call('timeline.search', { run, query, from: cursor, direction, limit: 1 });
    hit = page.hits[0];
  }
  if (useTimeline.getState().run !== run) return;
  if (hit === undefined) toast((text) => text.timeline.nothingFurther);
  else moveCursor(hit.step);
}
