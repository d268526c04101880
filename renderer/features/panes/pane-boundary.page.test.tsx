import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { clipboard, show, shown } from '../../page-fixtures';
import { PaneBoundary } from './PaneBoundary';
import { useSplit } from './splits';

/** What the pane in it does: null for well. */
let fault: Error | null = null;

function Pane() {
  if (fault !== null) throw fault;
  return <p>The pane.</p>;
}

/** Two panes, one of which may fail, and a way to another step. */
function Panes() {
  const [step, setStep] = useState(1);
  return (
    <>
      <PaneBoundary resetKey={`run/${step}`}>
        <Pane />
      </PaneBoundary>
      <p>The other.</p>
      <button type="button" onClick={() => setStep(step + 1)}>
        next
      </button>
    </>
  );
}

/** React tells the console of each fault that a boundary took, and here that is no complaint. */
function taken(): boolean {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const faults = said.mock.calls.flat().filter((each) => each instanceof Error);
  said.mockClear();
  return faults.length > 0 && faults.every((each) => each === fault);
}

beforeEach(() => {
  fault = null;
  localStorage.clear();
});

test('a fault stays in its pane, is told to screen readers and copied for a report', async () => {
  const copied = clipboard();
  fault = new Error('No such row.');
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  show(<Panes />);
  expect(screen.getByRole('alert').textContent).toContain('This part of the window stopped working.');
  expect(screen.queryByText('The pane.')).toBeNull();
  expect(screen.getByText('The other.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Copy details' }));
  await shown();
  expect(copied).toEqual([`No such row.\n${fault.stack}`]);
  expect(taken()).toBe(true);
});

test('it is opened again when asked, and another step opens it by itself', () => {
  fault = new Error('No such row.');
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  show(<Panes />);
  fireEvent.click(screen.getByRole('button', { name: 'Open it again' }));
  expect(screen.getByRole('alert')).toBeTruthy();
  expect(taken()).toBe(true);
  fault = null;
  fireEvent.click(screen.getByRole('button', { name: 'Open it again' }));
  expect(screen.getByText('The pane.')).toBeTruthy();
  fault = new Error('Again.');
  fireEvent.click(screen.getByRole('button', { name: 'next' }));
  expect(screen.getByRole('alert')).toBeTruthy();
  expect(taken()).toBe(true);
  fault = null;
  fireEvent.click(screen.getByRole('button', { name: 'next' }));
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.getByText('The pane.')).toBeTruthy();
});

test('a clipboard that refuses says so', async () => {
  fault = new Error('No such row.');
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  show(<Panes />);
  taken();
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValueOnce(new Error('No permission to write.'));
  fireEvent.click(screen.getByRole('button', { name: 'Copy details' }));
  expect(await screen.findByText('No permission to write.')).toBeTruthy();
});

test('a size is kept for its scope in the window’s storage, and forgotten on the way back to the default', () => {
  function Sized({ scope }: { scope: string }) {
    const [size, resize] = useSplit(scope, 'detail', 300);
    return (
      <button type="button" onClick={() => resize(size === 300 ? 412.4 : null)}>
        {`${scope} ${size}`}
      </button>
    );
  }
  localStorage.setItem('waymark.split.b.detail', 'wide');
  show(
    <>
      <Sized scope="a" />
      <Sized scope="b" />
    </>,
  );
  // What is no size in the storage is none.
  expect(screen.getByText('b 300')).toBeTruthy();
  fireEvent.click(screen.getByText('a 300'));
  expect(screen.getByText('a 412.4')).toBeTruthy();
  expect(screen.getByText('b 300')).toBeTruthy();
  expect(localStorage.getItem('waymark.split.a.detail')).toBe('412');
  fireEvent.click(screen.getByText('a 412.4'));
  expect(screen.getByText('a 300')).toBeTruthy();
  expect(localStorage.getItem('waymark.split.a.detail')).toBeNull();
});
