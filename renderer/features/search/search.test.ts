import type { ScanNews, SearchPage } from '@shared/contract/search/views';
import { beforeEach, expect, test } from 'vitest';
import { BridgeStand, settled } from '../../state/bridge-fixtures';
import { useFilter } from '../../state/rows/filter';
import { useTimeline } from '../../state/run/timeline';
import {
  hitAt,
  needHits,
  placeOf,
  refreshSearch,
  setQuery,
  setScope,
  stepThroughMatches,
  useSearch,
} from './search';
import { forgetScan, noNews, startScan, stopScan, useScan } from './search-scan';

const run = '01J00000000000000000000000';

/** A run in which every third step matches. */
function page(from: { hit: number } | { step: number; direction: 1 | -1 }, limit: number): SearchPage {
  const all = Array.from({ length: 1000 }, (_, index) => index * 3 + 3);
  let start: number;
  if ('hit' in from) start = from.hit;
  else if (from.direction === 1) start = all.findIndex((step) => step >= from.step);
  else start = all.findLastIndex((step) => step <= from.step) - limit + 1;
  const steps = start < 0 ? [] : all.slice(start, start + limit);
  return {
    hits: steps.map((step) => ({ step, snippet: '\u0001x\u0002', field: 'thought' })),
    total: all.length,
    before: Math.max(0, start),
    hidden: 0,
    behind: 0,
    problem: null,
  };
}

function stand(answers: ConstructorParameters<typeof BridgeStand>[0] = {}): BridgeStand {
  return new BridgeStand({
    'search.steps': ({ from, limit }: { from: { hit: number }; limit: number }) => page(from, limit),
    'search.scan': () => ({ scan: null, problem: null }),
    ...answers,
  });
}

beforeEach(() => {
  stand();
  setQuery('');
  forgetScan();
  setScope('run');
  useFilter.setState({ query: {}, steps: null });
  useTimeline.setState({ run, steps: 3000, cursor: 1 });
});

test('the first page comes as it is typed, the others when they come into view', async () => {
  const bridge = stand();
  setQuery('word');
  expect(useSearch.getState().answered).toBe(false);
  await settled();
  expect(useSearch.getState()).toMatchObject({ answered: true, total: 1000 });
  expect(hitAt(useSearch.getState().pages, 10)?.step).toBe(33);
  expect(hitAt(useSearch.getState().pages, 700)).toBeUndefined();
  needHits(690, 710);
  needHits(700, 705);
  await settled();
  expect(hitAt(useSearch.getState().pages, 700)?.step).toBe(2103);
  expect(bridge.calls.filter(([name]) => name === 'search.steps')).toHaveLength(3);
});

test('the newest query wins, and those typed meanwhile are asked once', async () => {
  const waiting: (() => void)[] = [];
  const bridge = stand({
    'search.steps': async ({ query }: { query: string }) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { ...page({ hit: 0 }, 1), total: query.length };
    },
  });
  for (const typed of ['lo', 'los', 'loss']) setQuery(typed);
  waiting.shift()?.();
  await settled();
  expect(useSearch.getState().answered).toBe(false);
  waiting.shift()?.();
  await settled();
  expect(useSearch.getState()).toMatchObject({ query: 'loss', answered: true, total: 4 });
  expect(bridge.calls.map(([, input]) => (input as { query: string }).query)).toEqual(['lo', 'loss']);
});

test('n and N go to matches however far, and the place among all is known', async () => {
  stand();
  setQuery('word');
  await settled();
  useTimeline.setState({ cursor: 1501 });
  await stepThroughMatches(1);
  expect(useTimeline.getState().cursor).toBe(1503);
  expect(placeOf(useSearch.getState(), 1503)).toBe(501);
  await stepThroughMatches(1);
  await stepThroughMatches(-1);
  await stepThroughMatches(-1);
  expect(useTimeline.getState().cursor).toBe(1500);
  expect(placeOf(useSearch.getState(), 1500)).toBe(500);
  // Enter stays on a step that matches.
  await stepThroughMatches(1, 1500);
  expect(useTimeline.getState().cursor).toBe(1500);
  useTimeline.setState({ cursor: 3 });
  await stepThroughMatches(-1);
  expect(useTimeline.getState().cursor).toBe(3);
});

test('the timeline’s filter narrows the search of a run', async () => {
  const bridge = stand();
  useFilter.setState({ query: { error: true } });
  setQuery('word');
  await settled();
  expect(bridge.calls[0]).toMatchObject(['search.steps', { filter: { error: true } }]);
  refreshSearch();
  await settled();
  expect(bridge.calls).toHaveLength(2);
});

test('a wrong pattern is told at once, and nothing is asked', async () => {
  const bridge = stand();
  setQuery('/a(b/');
  expect(useSearch.getState().problem).toMatchObject({ code: 'bad_pattern', at: 1 });
  await settled();
  expect(bridge.calls).toEqual([]);
});

test('a scan’s hits are gathered as they come, stepped through, and kept when it is stopped', async () => {
  const parts: ScanNews[] = [1, 2, 3].map((part) => ({
    ...noNews,
    hits: [{ kind: 'step', run, hit: { step: part * 10, snippet: '', field: 'thought' } }],
    steps: part,
    scanned: part,
    all: 9,
    done: false,
  }));
  const waiting: ((news: ScanNews) => void)[] = [];
  const bridge = stand({
    'search.scan': () => ({ scan: 7, problem: null }),
    'search.news': () => new Promise<ScanNews>((resolve) => waiting.push(resolve)),
    'search.stop': () => undefined,
  });
  setQuery('/x/');
  const scan = startScan(run, '/x/', {});
  for (const part of parts) {
    await settled();
    waiting.shift()?.(part);
  }
  await settled();
  expect(useScan.getState()).toMatchObject({ scan: 7, steps: 3, scanned: 3, done: false });
  await stepThroughMatches(1);
  expect(useTimeline.getState().cursor).toBe(10);
  await stepThroughMatches(1);
  expect(useTimeline.getState().cursor).toBe(20);
  // Where a person goes without n, the place is told as well.
  expect(placeOf(useSearch.getState(), 30)).toBe(3);
  expect(placeOf(useSearch.getState(), 29)).toBe(0);
  stopScan();
  expect(useScan.getState()).toMatchObject({ done: true, stopped: true, hits: [{}, {}, {}] });
  waiting.shift()?.({ ...noNews, done: true });
  await scan;
  expect(useScan.getState().hits).toHaveLength(3);
  expect(bridge.calls.filter(([name]) => name === 'search.news').at(-1)).toMatchObject([
    'search.news',
    { scan: 7, after: 3 },
  ]);
});
