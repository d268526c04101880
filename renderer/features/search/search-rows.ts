import type { ScanHit, SearchHit, SessionHit } from '@shared/contract/search/views';
import { hitAt, useSearch } from './search';
import { useScan } from './search-scan';

/** One line of the results. */
export type SearchRow =
  /** `hit` is not there while its page is read. */
  | { kind: 'step'; run: string | null; hit: SearchHit | undefined }
  | { kind: 'line'; run: string; line: SessionHit }
  | { kind: 'run'; run: string; title: string; total: number }
  | { kind: 'terminals'; total: number };

/** The results in their order: rows are made when they come into view, for there may be a hundred thousand. */
export interface SearchRows {
  count: number;
  /** Undefined where there is no row, before the first one too. */
  at(index: number): SearchRow | undefined;
}

/** What is found now. `titles`: of the runs, by id. */
export function useSearchRows(titles: ReadonlyMap<string, string>): SearchRows {
  const { query, pattern, scope, pages, runs, total } = useSearch();
  const { hits, lines } = useScan();
  if (query === '') return { count: 0, at: () => undefined };
  const found = hits.flatMap((hit) => (hit.kind === 'line' ? [row(hit)] : []));
  const below: SearchRow[] = found.length === 0 ? [] : [{ kind: 'terminals', total: lines }, ...found];
  if (pattern || scope === 'all') {
    const above = pattern ? scanned(hits, scope === 'all', titles) : ofRuns(runs);
    const all = [...above, ...below];
    return { count: all.length, at: (index) => all[index] };
  }
  return {
    count: total + below.length,
    at: (index) => {
      if (index < 0) return undefined;
      return index < total ? { kind: 'step', run: null, hit: hitAt(pages, index) } : below[index - total];
    },
  };
}

function row(hit: ScanHit): SearchRow {
  return hit.kind === 'line'
    ? { kind: 'line', run: hit.run, line: hit.line }
    : { kind: 'step', run: hit.run, hit: hit.hit };
}

function scanned(
  hits: readonly ScanHit[],
  headed: boolean,
  titles: ReadonlyMap<string, string>,
): SearchRow[] {
  const rows: SearchRow[] = [];
  const counts = new Map<string, number>();
  const steps = hits.filter(({ kind }) => kind === 'step');
  for (const { run } of steps) counts.set(run, (counts.get(run) ?? 0) + 1);
  let last: string | null = null;
  for (const hit of steps) {
    if (headed && hit.run !== last)
      rows.push({
        kind: 'run',
        run: hit.run,
        title: titles.get(hit.run) ?? hit.run,
        total: counts.get(hit.run) ?? 0,
      });
    last = hit.run;
    rows.push(row(hit));
  }
  return rows;
}

function ofRuns(runs: ReturnType<typeof useSearch.getState>['runs']): SearchRow[] {
  return runs.flatMap(({ run, title, total, hits }): SearchRow[] => [
    { kind: 'run', run, title, total },
    ...hits.map((hit): SearchRow => ({ kind: 'step', run, hit })),
  ]);
}
