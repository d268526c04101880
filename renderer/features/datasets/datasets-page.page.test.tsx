import { exportRequestSchema } from '@shared/contract/export-request';
import type { DatasetDifference, DatasetView } from '@shared/contract/export-views';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { show } from '../../page-fixtures';
import { useExportPage } from '../../state/export-page';
import { runSummary } from '../../state/run/run-fixtures';
import { useRuns } from '../../state/run/runs';
import { useTimeline } from '../../state/run/timeline';
import { useView } from '../../state/view';
import { DatasetsPage } from './DatasetsPage';
import { StepDatasets } from './StepDatasets';

const file = (path: string, records: number) => ({ path, bytes: 2048, sha256: 'ab'.repeat(32), records });
const dataset = (id: string, change: Partial<DatasetView> = {}): DatasetView => ({
  id,
  folder: `/data/${id}`,
  format: 'openai',
  writtenAt: 0,
  state: 'there',
  snapshot: 'cd'.repeat(32),
  variants: ['all'],
  options: exportRequestSchema.parse({}),
  records: 12,
  trained: 30,
  masked: 4,
  bytes: 4096,
  files: [file('train.jsonl', 12), file('manifest.json', 0)],
  redacted: 0,
  ...change,
});
const origin = { run: 'run', segment: 2, kind: 'react', step: 7, steps: [] };
const selected = () =>
  within(screen.getByRole('listbox')).getByRole('option', { selected: true }).textContent;

beforeEach(() => {
  useExportPage.setState({ page: 'datasets', dataset: null });
  useRuns.setState({ list: [runSummary('run', { title: 'A run' })], current: 'run' });
  useView.setState({ mode: 'export' });
});

test('a workspace that never exported says what would be here, and leads to a new export', async () => {
  show(<DatasetsPage head="Export" />, { 'datasets.list': () => [] });
  expect(screen.queryByText('No datasets yet')).toBeNull();
  expect(await screen.findByText('No datasets yet')).toBeTruthy();
  expect(screen.queryByRole('listbox')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'New export' }));
  expect(useExportPage.getState().page).toBe('new');
});

test('a list that cannot be read says why, and not that there is none', async () => {
  show(<DatasetsPage head="Export" />, {
    'datasets.list': () => {
      throw { code: 'workspace_corrupt', message: 'The list of datasets is damaged.' };
    },
  });
  expect((await screen.findByRole('alert')).textContent).toContain('The list of datasets is damaged.');
  expect(screen.queryByText('No datasets yet')).toBeNull();
  expect(screen.queryByText('Loading…')).toBeNull();
});

test('keys choose in the list; a folder that is gone is not opened, and can be taken off', async () => {
  let list = [dataset('new'), dataset('gone', { state: 'missing' })];
  const bridge = show(<DatasetsPage head="Export" />, {
    'datasets.list': () => list,
    'datasets.row': () => origin,
    'datasets.openFolder': () => undefined,
    'datasets.forget': () => {
      list = list.slice(0, 1);
      return list;
    },
  });
  const box = await screen.findByRole('listbox', { name: 'Datasets' });
  fireEvent.click(screen.getByRole('button', { name: 'Open folder' }));
  expect(bridge.calls).toContainEqual(['datasets.openFolder', { dataset: 'new' }]);
  expect(screen.queryByText('The folder no longer exists at this place.')).toBeNull();
  fireEvent.keyDown(box, { key: 'j' });
  expect(selected()).toContain('gone');
  fireEvent.keyDown(box, { key: 'ArrowDown' });
  expect(selected()).toContain('gone');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Open folder' }).disabled).toBe(true);
  expect(screen.getByText('The folder no longer exists at this place.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Remove from the list' }));
  expect(await screen.findByText('There is no other dataset to compare with.')).toBeTruthy();
  expect(selected()).toContain('new');
  expect(bridge.calls).toContainEqual(['datasets.forget', { dataset: 'gone' }]);
});

test('a record leads to its step; one that there is not is not asked for, and one of no single row is so only when answered', async () => {
  let answer: (found: unknown) => void = () => undefined;
  const bridge = show(<DatasetsPage head="Export" />, {
    'datasets.list': () => [dataset('new')],
    'datasets.row': ({ record }: { record: number }) =>
      record === 1
        ? origin
        : new Promise((done) => {
            answer = done;
          }),
    'runs.summary': () => runSummary('run'),
  });
  const record = await screen.findByLabelText('Record');
  const part = within(screen.getByTestId('record-origin'));
  expect(await part.findByText('A run, segment 2')).toBeTruthy();
  fireEvent.change(record, { target: { value: '13' } });
  expect(part.getByText('Enter a number from 1 to 12.')).toBeTruthy();
  expect(record.getAttribute('aria-invalid')).toBe('true');
  fireEvent.change(record, { target: { value: '2' } });
  expect(await part.findByText('Loading…')).toBeTruthy();
  expect(part.queryByText('This record is not made from a single row.')).toBeNull();
  answer(null);
  expect(await part.findByText('This record is not made from a single row.')).toBeTruthy();
  expect(bridge.calls.filter(([name]) => name === 'datasets.row').map(([, input]) => input)).toEqual([
    { dataset: 'new', file: 'train.jsonl', record: 1 },
    { dataset: 'new', file: 'train.jsonl', record: 2 },
  ]);
  useTimeline.setState({ run: 'run', steps: 9, cursor: 1 });
  fireEvent.change(record, { target: { value: '1' } });
  fireEvent.click(await part.findByRole('button', { name: 'Open step 7' }));
  await waitFor(() => expect(useView.getState().mode).toBe('review'));
  expect(useTimeline.getState().cursor).toBe(7);
});

test('the difference reads from the earlier dataset to the later one, whichever is open', async () => {
  const height = vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400);
  onTestFinished(() => height.mockRestore());
  const step = { run: 'run', step: 5, a: 1, b: null, reasonA: null, reasonB: null } as const;
  const difference: DatasetDifference = { a: 'old', b: 'new', steps: [step], count: 1 };
  const bridge = show(<DatasetsPage head="Export" />, {
    'datasets.list': () => [dataset('old', { writtenAt: 1 }), dataset('new', { writtenAt: 2 })],
    'datasets.row': () => origin,
    'datasets.difference': () => difference,
  });
  fireEvent.change(await screen.findByLabelText('Dataset to compare with'), { target: { value: 'new' } });
  expect(await screen.findByText('1 step differs')).toBeTruthy();
  const rows = within(
    screen.getAllByRole('region', { name: 'Difference from another dataset' }).at(-1) as never,
  );
  expect((await rows.findByRole('button', { name: 'Step 5' })).closest('.difference-line')?.textContent).toBe(
    'Step 5A runTRAINnot in it',
  );
  fireEvent.keyDown(screen.getByRole('listbox'), { key: 'End' });
  fireEvent.change(screen.getByLabelText('Dataset to compare with'), { target: { value: 'old' } });
  await screen.findByText('1 step differs');
  const asked = bridge.calls.filter(([name]) => name === 'datasets.difference');
  expect(asked.map(([, input]) => input)).toEqual([
    { a: 'old', b: 'new' },
    { a: 'old', b: 'new' },
  ]);
});

test('a step names the first three datasets it is in and the rest when asked; nothing where it is in none', async () => {
  const places = [{ file: 'train.jsonl', from: 3, to: 4 }];
  const into = ['a', 'b', 'c', 'd'].map((id) => ({
    dataset: dataset(id),
    variant: 'all',
    mask: 0,
    reason: null,
    places,
  }));
  show(<StepDatasets run="run" step={5} />, { 'datasets.forStep': () => into });
  expect(screen.queryByRole('region')).toBeNull();
  const part = within(await screen.findByRole('region', { name: 'Datasets' }));
  expect(part.getAllByRole('listitem').map((line) => line.textContent)).toEqual(
    ['a', 'b', 'c'].map((id) => `${id} (OpenAI messages)MASKtrain.jsonl:3–4`),
  );
  fireEvent.click(part.getByRole('button', { name: '1 more dataset' }));
  fireEvent.click(part.getByRole('button', { name: 'd (OpenAI messages)' }));
  expect(useExportPage.getState()).toEqual({ page: 'datasets', dataset: 'd' });
});

test('a dataset says what it is made of, by domain or by task; an older one says nothing of it', async () => {
  const share = { hash: 'h', rows: 2, masked: 1 };
  show(<DatasetsPage head="Export" />, {
    'datasets.list': () => [
      dataset('new', {
        composition: [
          { ...share, task: 't1', domain: 'Loss Design', runs: 1, trained: 3 },
          { ...share, task: 't2', domain: 'Loss Design', runs: 2, trained: 3 },
          { ...share, task: 't3', domain: null, runs: 1, trained: 2 },
        ],
      }),
      dataset('old'),
    ],
    'datasets.row': () => origin,
  });
  const rows = async () => {
    const part = within(await screen.findByRole('region', { name: 'Made of' }));
    return part.getAllByRole('row').map((row) => [...row.children].map((cell) => cell.textContent));
  };
  expect((await rows()).slice(1)).toEqual([
    ['Loss Design', '3', '4', '6', '2', '75.0 %'],
    ['(no domain)', '1', '2', '2', '1', '25.0 %'],
  ]);
  fireEvent.click(screen.getByRole('button', { name: 'Task' }));
  expect((await rows()).map(([name]) => name)).toEqual(['Task', 't1', 't2', 't3']);
  fireEvent.keyDown(screen.getByRole('listbox'), { key: 'End' });
  expect(screen.queryByRole('region', { name: 'Made of' })).toBeNull();
});
