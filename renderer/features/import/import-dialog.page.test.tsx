import type { ImportResult } from '@shared/contract/ipc/imports';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { show, shown } from '../../page-fixtures';
import { runSummary } from '../../state/run/run-fixtures';
import { useRuns } from '../../state/run/runs';
import { ImportDialog } from './ImportDialog';

const result: ImportResult = {
  run: 'new',
  title: 'Node 7',
  steps: 1200,
  segments: 1,
  hints: 0,
  left: ['2 images without bytes'],
  replaced: [],
};
const close = vi.fn();
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

/** The dialog in a page that it is closed in. */
function Opened() {
  const [open, setOpen] = useState(true);
  return (
    <>
      {open && <ImportDialog onClose={close} />}
      <button type="button" onClick={() => setOpen(false)}>
        Leave
      </button>
    </>
  );
}

/** An import that goes on until the test ends it. */
function begin() {
  const ends: { done: (found: ImportResult | null) => void; fail: (failure: unknown) => void }[] = [];
  const bridge = show(<Opened />, {
    'import.start': () => new Promise((done, fail) => ends.push({ done, fail })),
    'import.cancel': () => undefined,
    'runs.summary': () => runSummary('new'),
  });
  return { bridge, ends };
}

beforeEach(() => {
  close.mockClear();
  useRuns.setState({ list: [], current: null });
});

test('it says how far it is, what was not taken over, and opens the run', async () => {
  const { bridge, ends } = begin();
  expect(document.activeElement).toBe(button('Choose a folder'));
  fireEvent.click(screen.getByLabelText('Import again if these files were imported before'));
  fireEvent.click(button('Choose a file'));
  expect([button('Choose a file').disabled, button('Choose a folder').disabled]).toEqual([true, true]);
  // As long as the file is being chosen there is nothing to cancel.
  expect(screen.queryByRole('button', { name: 'Cancel the import' })).toBeNull();
  expect(bridge.calls).toEqual([['import.start', { format: 'researchgym', what: 'file', again: true }]]);
  act(() => bridge.send('import.progress', { stage: 'reading', files: 1, bytes: 2048 }));
  expect(screen.getByText('Reading: 1 file, 2 kB so far.')).toBeTruthy();
  act(() => bridge.send('import.progress', { stage: 'storing', events: 999, of: 1000 }));
  expect(screen.getByText('Storing: 99 % done.')).toBeTruthy();
  await shown();
  ends[0]?.done(result);
  expect(await screen.findByText('1,200 steps in 1 segment, no hints.')).toBeTruthy();
  expect(screen.getByRole('listitem').textContent).toBe('2 images without bytes');
  fireEvent.click(button('Open the run'));
  expect(close).toHaveBeenCalledTimes(1);
  await waitFor(() => expect(useRuns.getState().current).toBe('new'));
});

test('everything taken over is not followed by an empty list', async () => {
  const { ends } = begin();
  fireEvent.click(button('Choose a folder'));
  await shown();
  ends[0]?.done({ ...result, left: [] });
  expect(await screen.findByRole('heading', { name: 'Node 7' })).toBeTruthy();
  expect(screen.queryByText('Not imported')).toBeNull();
});

test('what is cancelled says so, and the next try begins without its words', async () => {
  const { bridge, ends } = begin();
  fireEvent.click(button('Choose a folder'));
  act(() => bridge.send('import.progress', { stage: 'reading', files: 0, bytes: 0 }));
  fireEvent.click(button('Cancel the import'));
  await shown();
  expect(bridge.calls.at(-1)).toEqual(['import.cancel', undefined]);
  ends[0]?.fail({ code: 'cancelled', message: 'The import was cancelled; nothing was kept.' });
  expect((await screen.findByRole('alert')).textContent).toContain('nothing was kept.');
  await waitFor(() => expect(screen.queryByText('Reading…')).toBeNull());
  fireEvent.click(button('Choose a folder'));
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a file dialog that was left changes nothing', async () => {
  const { ends } = begin();
  fireEvent.click(button('Choose a file'));
  await shown();
  ends[0]?.done(null);
  await waitFor(() => expect(button('Choose a file').disabled).toBe(false));
  expect(screen.queryByRole('alert')).toBeNull();
  expect(close).not.toHaveBeenCalled();
});

test('an import that ends after its dialog was closed reports its result, and offers the run', async () => {
  const { ends } = begin();
  fireEvent.click(button('Choose a folder'));
  await shown();
  fireEvent.click(button('Leave'));
  ends[0]?.done(result);
  expect(
    await screen.findByText('Imported Node 7: 1,200 steps. Parts of it could not be imported.'),
  ).toBeTruthy();
  fireEvent.click(button('Open the run'));
  await waitFor(() => expect(useRuns.getState().current).toBe('new'));
});

test('an import that fails after its dialog was closed says why', async () => {
  const { ends } = begin();
  fireEvent.click(button('Choose a file'));
  await shown();
  fireEvent.click(button('Leave'));
  ends[0]?.fail({ code: 'bad_input', message: 'The folder holds no run.' });
  expect(await screen.findByText(/The folder holds no run\./)).toBeTruthy();
});
