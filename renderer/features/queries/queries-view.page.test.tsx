import type { QueryView } from '@shared/contract/views';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { show, shown } from '../../page-fixtures';
import { useTimeline } from '../../state/run/timeline';
import { QueriesView } from './QueriesView';

const query = (step: number, change: Partial<QueryView> = {}): QueryView => ({
  step,
  tool: 'grep_files',
  query: 'loss',
  where: 'src',
  hits: 3,
  ...change,
});
const rows = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    );

beforeEach(() => useTimeline.setState({ run: 'run', steps: 9, cursor: 9 }));

test('the newest query stands first, the open step is marked, and a number leads to its step', async () => {
  const list = [query(2, { hits: 0 }), query(5, { tool: 'web_search', where: '', hits: null })];
  const bridge = show(<QueriesView run="run" step={2} />, { 'queries.list': () => list });
  await screen.findByRole('table');
  expect(rows()).toEqual([
    ['5', 'web_search', 'loss', '', '?'],
    ['2', 'grep_files', 'loss', 'src', '0'],
  ]);
  const marked = screen.getAllByRole('row').filter((row) => row.getAttribute('aria-current') === 'true');
  expect(marked.map((row) => row.textContent)).toEqual(['2grep_fileslosssrc0']);
  fireEvent.click(screen.getByRole('button', { name: '5' }));
  expect(useTimeline.getState().cursor).toBe(5);
  expect(bridge.calls).toEqual([['queries.list', { run: 'run' }]]);
});

test('the same words looked for twice in one step are two lines, also when more come', async () => {
  let list = [query(2), query(2, { where: 'test', hits: 1 })];
  show(<QueriesView run="run" step={9} />, { 'queries.list': () => list });
  await screen.findByRole('table');
  expect(rows().map(([, , , where]) => where)).toEqual(['test', 'src']);
  list = [...list, query(10, { where: 'docs' })];
  act(() => useTimeline.setState({ steps: 10 }));
  await screen.findByText('docs');
  expect(rows().map(([, , , where]) => where)).toEqual(['docs', 'test', 'src']);
});

test('a run that never searched says what would be here', async () => {
  show(<QueriesView run="run" step={2} />, { 'queries.list': () => [] });
  expect(screen.queryByText('No search yet')).toBeNull();
  expect(await screen.findByText('No search yet')).toBeTruthy();
  expect(screen.queryByRole('table')).toBeNull();
});

test('queries that cannot be read say why, and not that there are none', async () => {
  show(<QueriesView run="run" step={2} />, {
    'queries.list': () => {
      throw { code: 'workspace_corrupt', message: 'The log is damaged.' };
    },
  });
  expect(await screen.findByText('The log is damaged.')).toBeTruthy();
  await shown();
  expect(screen.queryByText('No search yet')).toBeNull();
});
