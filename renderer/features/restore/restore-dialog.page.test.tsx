import type { BackupRow, RestoreReport } from '@shared/contract/ipc/restore';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { show, shown } from '../../page-fixtures';
import { useWorkspace } from '../../state/workspace';
import { RestoreDialog } from './RestoreDialog';
import { offerRestore, useRestore } from './restore';

const backup = (name: string, change: Partial<BackupRow> = {}): BackupRow => ({
  name,
  at: 0,
  bytes: 1,
  contents: { runs: 2, labels: 10, hints: 1, people: ['Ann', 'Bo'] },
  problem: null,
  ...change,
});
const broken = backup('newest', { contents: null, problem: 'It is cut off.' });
const report: RestoreReport = {
  folder: '/home/me/restored',
  backup: 'older',
  from: '/w',
  complete: false,
  runs: [
    { id: 'a', title: 'First', state: 'log', steps: 12, labels: 1, hints: 0, notes: [] },
    { id: 'b', title: '', state: 'lost', steps: 0, labels: 3, hints: 0, notes: ['Cut off.', 'Cut off.'] },
  ],
  labels: 1234,
  hints: 2,
  people: ['Ann'],
  notes: ['The settings of the task.'],
  remarks: [],
};
const status = {
  folder: '/home/me/restored',
  defaultFolder: '',
  freeBytes: null,
  problem: null,
  unreadable: [],
  isReadOnly: false,
};
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const begin = 'Choose a new folder and restore…';

beforeEach(() => {
  useRestore.setState({ choice: null, working: false, done: null });
  useWorkspace.setState({ status: null, problem: null });
});

test('backups are offered with what they hold; the newest readable one is chosen, and one that is not says why', async () => {
  show(<RestoreDialog />, {
    'workspace.backups': () => ({ folder: '/w', backups: [broken, backup('older'), backup('oldest')] }),
  });
  expect(screen.queryByRole('dialog')).toBeNull();
  await act(offerRestore);
  expect(screen.getByText('/w')).toBeTruthy();
  const radios = screen.getAllByRole<HTMLInputElement>('radio');
  expect(radios.map(({ value, checked, disabled }) => [value, checked, disabled])).toEqual([
    ['newest', false, true],
    ['older', true, false],
    ['oldest', false, false],
  ]);
  expect(radios[0]?.closest('div')?.textContent).toContain('It is cut off.');
  expect(radios[1]?.closest('div')?.textContent).toContain('10 labels, 1 hint, 2 runs, by Ann, Bo');
});

test('the chosen backup is restored once, and the report says of each run what became of it', async () => {
  let answer: (restored: unknown) => void = () => undefined;
  const bridge = show(<RestoreDialog />, {
    'workspace.restore': () =>
      new Promise((done) => {
        answer = done;
      }),
    'runs.list': () => [],
  });
  act(() => useRestore.setState({ choice: { folder: '/w', backups: [backup('older'), backup('oldest')] } }));
  fireEvent.click(screen.getAllByRole('radio')[1] as never);
  fireEvent.click(button(begin));
  expect(button('Restoring…').disabled).toBe(true);
  await shown();
  answer({ report, status });
  const done = within(await screen.findByRole('dialog', { name: 'Restored' }));
  expect(done.getByText('/home/me/restored')).toBeTruthy();
  expect(done.getByText('1,234')).toBeTruthy();
  const [first, lost] = within(done.getByRole('list', { name: 'Runs' })).getAllByRole('listitem');
  expect(first?.textContent).toBe('First Restored: 12 steps, 1 label');
  expect(lost?.textContent).toBe('A run without a readable title Not restored; 3 labels set asideCut off.');
  expect(done.getByRole('heading', { name: 'Not restored' })).toBeTruthy();
  expect(done.getByText('The settings of the task.')).toBeTruthy();
  expect(done.queryByRole('heading', { name: 'Please check' })).toBeNull();
  expect(useWorkspace.getState().status?.folder).toBe('/home/me/restored');
  expect(bridge.calls[0]).toEqual(['workspace.restore', { backup: 'oldest' }]);
  fireEvent.click(done.getAllByRole('button', { name: 'Close' }).at(-1) as never);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('without backups it says that runs can still be restored, and does so without one', async () => {
  useRestore.setState({ choice: { folder: '/w', backups: [] } });
  const bridge = show(<RestoreDialog />, { 'workspace.restore': () => null });
  expect(screen.getByText(/There are no backups/)).toBeTruthy();
  expect(screen.queryByRole('radio')).toBeNull();
  fireEvent.click(button(begin));
  await shown();
  // The folder's dialog was left: nothing has happened.
  expect(button(begin).disabled).toBe(false);
  expect(screen.getByRole('status').textContent).toBe('');
  expect(bridge.calls).toEqual([['workspace.restore', { backup: null }]]);
});

test('a restore that fails says why and can be tried again', async () => {
  useRestore.setState({ choice: { folder: '/w', backups: [broken] } });
  const bridge = show(<RestoreDialog />, {
    'workspace.restore': () => {
      throw { code: 'disk_full', message: 'The new folder has no room.' };
    },
  });
  fireEvent.click(button(begin));
  expect(await screen.findByText('The new folder has no room.')).toBeTruthy();
  expect(button(begin).disabled).toBe(false);
  expect(bridge.calls).toEqual([['workspace.restore', { backup: null }]]);
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' });
  expect(useRestore.getState().choice).toBeNull();
});
