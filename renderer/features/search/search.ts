import { checkPattern, patternOf } from '@shared/contract/search/pattern';
import type { RunHits, SearchHit, SearchProblem } from '@shared/contract/search/views';
import { create } from 'zustand';
import { call } from '../../api';
import { useFilter } from '../../state/rows/filter';
import { moveCursor, useTimeline } from '../../state/run/timeline';
import { attempt, toast, toastFailure } from '../../state/toasts';
import { forgetScan, startScan, useScan } from './search-scan';

export type SearchScope = 'run' | 'all';

interface SearchState {
  /** As it was asked for; '' = no search. */
  query: string;
  scope: SearchScope;
  /** Hits in words come from the index by page, those of a pattern from a scan. */
  pattern: boolean;
  problem: SearchProblem | null;
  /** Pages of hits in the open run, by number; a page that was never in view is not there. */
  pages: ReadonlyMap<number, readonly SearchHit[]>;
  /** What the runs of the workspace have, and how many runs more. */
  runs: readonly RunHits[];
  more: number;
  total: number;
  /** Hits that the filters of the timeline hide. */
  hidden: number;
  /** Steps the index has not reached yet. */
  behind: number;
  /** True when the answer for `query` is there. */
  answered: boolean;
  /** The hit the cursor was put on, 1-based; it counts as long as the cursor stays. */
  went: { step: number; place: number } | null;
}

export const HITS_PAGE = 50;
/** Hits shown of each run when all are searched. */
const HITS_OF_RUN = 4;
/** Texts without an index are looked through when the typing rests, ms. */
const REST_MS = 300;
const nothing: Omit<SearchState, 'scope'> = {
  query: '',
  pattern: false,
  problem: null,
  pages: new Map(),
  runs: [],
  more: 0,
  total: 0,
  hidden: 0,
  behind: 0,
  answered: false,
  went: null,
};
export const useSearch = create<SearchState>()(() => ({ ...nothing, scope: 'run' }));

let turn = 0;
/** A question is on its way; the newest one that came meanwhile follows it. */
let asking = false;
let again = false;
let rest: ReturnType<typeof setTimeout> | null = null;

/** Searches the open run, or all; the newest query wins. An empty one clears the search. */
export function setQuery(query: string): void {
  turn += 1;
  if (rest !== null) clearTimeout(rest);
  forgetScan();
  const { run } = useTimeline.getState();
  const { scope } = useSearch.getState();
  if (query.trim() === '' || (run === null && scope === 'run')) {
    useSearch.setState({ ...nothing, query: query.trim() === '' ? '' : query });
    return;
  }
  const pattern = patternOf(query);
  const problem = pattern === null ? null : checkPattern(pattern);
  if (pattern !== null) {
    useSearch.setState({ ...nothing, query, pattern: true, problem, answered: true });
  } else {
    // What was found before stays in view until the answer is there.
    useSearch.setState({ query, pattern: false, answered: false });
    ask();
  }
  if (problem === null) rest = setTimeout(lookThrough, REST_MS);
}

export function setScope(scope: SearchScope): void {
  const { query } = useSearch.getState();
  useSearch.setState({ ...nothing, scope, query });
  setQuery(query);
}

export function clearSearch(): void {
  setQuery('');
}

/** Asks again: more was indexed, or another filter holds. */
export function refreshSearch(): void {
  const { query, pattern } = useSearch.getState();
  if (query === '' || pattern) return;
  turn += 1;
  ask();
}

function lookThrough(): void {
  const { query, scope } = useSearch.getState();
  const { run } = useTimeline.getState();
  attempt(() =>
    startScan(scope === 'all' ? null : run, query, scope === 'all' ? {} : useFilter.getState().query),
  );
}

function ask(): void {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  again = false;
  const mine = turn;
  answer(mine)
    .catch((thrown: unknown) => toastFailure(thrown))
    .finally(() => {
      asking = false;
      if (again) ask();
    });
}

async function answer(mine: number): Promise<void> {
  const { query, scope, pattern } = useSearch.getState();
  const { run } = useTimeline.getState();
  if (query === '' || pattern) return;
  if (scope === 'all') {
    const found = await call('search.workspace', { query, limit: HITS_OF_RUN });
    if (turn === mine)
      useSearch.setState({ ...found, pages: new Map(), hidden: 0, answered: true, went: null });
    return;
  }
  if (run === null) return;
  const filter = useFilter.getState().query;
  const page = await call('search.steps', { run, query, filter, from: { hit: 0 }, limit: HITS_PAGE });
  if (turn !== mine) return;
  const { hits, total, hidden, behind, problem } = page;
  const pages = new Map([[0, hits]]);
  useSearch.setState({
    total,
    hidden,
    behind,
    problem,
    pages,
    runs: [],
    more: 0,
    answered: true,
    went: null,
  });
}

const loading = new Set<string>();

/** Reads the pages of some hits (0-based, both included) that are not there yet. */
export function needHits(from: number, to: number): void {
  const { query, pattern, scope, total, pages } = useSearch.getState();
  const { run } = useTimeline.getState();
  if (pattern || scope === 'all' || run === null) return;
  const last = Math.floor(Math.min(to, total - 1) / HITS_PAGE);
  for (let page = Math.floor(from / HITS_PAGE); page <= last; page += 1) {
    const mine = turn;
    const key = `${mine} ${page}`;
    if (pages.has(page) || loading.has(key)) continue;
    loading.add(key);
    const filter = useFilter.getState().query;
    call('search.steps', { run, query, filter, from: { hit: page * HITS_PAGE }, limit: HITS_PAGE })
      .then(
        ({ hits }) => {
          if (turn === mine) useSearch.setState((state) => ({ pages: new Map(state.pages).set(page, hits) }));
        },
        (thrown: unknown) => toastFailure(thrown),
      )
      .finally(() => loading.delete(key));
  }
}

/** The hit with this number (0-based) when its page was read. */
export function hitAt(pages: SearchState['pages'], index: number): SearchHit | undefined {
  return pages.get(Math.floor(index / HITS_PAGE))?.[index % HITS_PAGE];
}

/** 1-based place of the step among the hits, or 0 when it is none of those that are known. */
export function placeOf(
  { pages, went, pattern }: Pick<SearchState, 'pages' | 'went' | 'pattern'>,
  step: number,
): number {
  if (went?.step === step) return went.place;
  const { run } = useTimeline.getState();
  if (pattern && run !== null) {
    const scanned = scannedFrom(run, step, 1);
    return scanned?.step === step ? scanned.place : 0;
  }
  for (const [page, hits] of pages) {
    const at = hits.findIndex((hit) => hit.step === step);
    if (at >= 0) return page * HITS_PAGE + at + 1;
  }
  return 0;
}

/** Puts the cursor on the next or previous match, however far it is; `from` is the first step that may be one. */
export async function stepThroughMatches(direction: 1 | -1, from?: number): Promise<void> {
  const { run, cursor } = useTimeline.getState();
  const { query, pattern } = useSearch.getState();
  if (run === null || query === '') return;
  const start = from ?? cursor + direction;
  const found = pattern ? scannedFrom(run, start, direction) : await askedFrom(run, query, start, direction);
  if (useTimeline.getState().run !== run || useSearch.getState().query !== query) return;
  if (found === null) {
    toast((text) => text.timeline.nothingFurther);
    return;
  }
  moveCursor(found.step);
  useSearch.setState({ went: found });
}

async function askedFrom(
  run: string,
  query: string,
  start: number,
  direction: 1 | -1,
): Promise<{ step: number; place: number } | null> {
  if (start < 1) return null;
  const filter = useSearch.getState().scope === 'run' ? useFilter.getState().query : {};
  const page = await call('search.steps', {
    run,
    query,
    filter,
    from: { step: start, direction },
    limit: 1,
    place: true,
  });
  const [hit] = page.hits;
  return hit === undefined ? null : { step: hit.step, place: page.before + 1 };
}

function scannedFrom(run: string, start: number, direction: 1 | -1): { step: number; place: number } | null {
  const steps = useScan
    .getState()
    .hits.flatMap((hit) => (hit.kind === 'step' && hit.run === run ? [hit.hit.step] : []));
  const at =
    direction === 1 ? steps.findIndex((step) => step >= start) : steps.findLastIndex((step) => step <= start);
  const step = steps[at];
  return step === undefined ? null : { step, place: at + 1 };
}
