import { defaultSettings } from '@shared/contract/settings';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { show } from '../../page-fixtures';
import { useKeyLayout } from '../../state/keys/chords';
import { useSettings } from '../../state/settings';
import { useView } from '../../state/view';
import { ShortcutSheet } from './ShortcutSheet';

const close = vi.fn();
/** Keys as they are read aloud, by what they do. */
const keysOf = (action: string) =>
  screen.getByText(action).closest('div')?.querySelector('.hidden-visually')?.textContent;
const find = (words: string) =>
  fireEvent.change(screen.getByRole('textbox', { name: 'Find a key or an action' }), {
    target: { value: words },
  });
const own = (keys: Record<string, string>) =>
  useSettings.setState({ settings: { ...defaultSettings(), keys } });

beforeEach(() => {
  close.mockClear();
  own({});
  useKeyLayout.setState({ layout: null });
  useView.setState({ dialog: null });
});

test('every action stands in its group with its keys, the nine reasons in one line', () => {
  show(<ShortcutSheet onClose={close} />);
  expect(screen.getAllByRole('heading', { level: 3 }).map((one) => one.textContent)).toEqual([
    'Move',
    'Steer',
    'Label',
    'Note',
    'Look',
    'Everywhere',
  ]);
  expect(keysOf('Undo')).toBe('z Ctrl Z');
  expect(keysOf('Redo')).toBe('Z');
  expect(keysOf('Export')).toBe('g x');
  expect(keysOf('Reason: point 1–9')).toBe('1 – 9');
  expect(screen.queryByText('Reason: point 2')).toBeNull();
  expect(within(screen.getByRole('region', { name: 'Labels' })).getByText('TRAIN')).toBeTruthy();
});

test('typing finds an action by its name or its key; where nothing matches it says so', () => {
  show(<ShortcutSheet onClose={close} />);
  expect(document.activeElement).toBe(screen.getByRole('textbox'));
  find(' SETTLE ');
  expect(screen.getAllByRole('definition').map((one) => one.textContent)).toEqual([
    'Settle as TRAIN',
    'Settle as MASK',
  ]);
  expect(screen.getAllByRole('heading', { level: 3 })).toHaveLength(1);
  find('f6');
  expect(screen.getAllByRole('definition').map((one) => one.textContent)).toContain('Next pane');
  find('nonsense');
  expect(screen.getByText('No key and no action matches “nonsense”')).toBeTruthy();
  expect(screen.queryByRole('definition')).toBeNull();
});

test('keys of the person’s own stand in place of ours, one pressed twice as two, and a change is seen at once', () => {
  own({ 'step.first': 'g g', 'label.train': 'Mod+1' });
  show(<ShortcutSheet onClose={close} />);
  expect(keysOf('First step')).toBe('g g');
  expect(keysOf('TRAIN and continue')).toBe('Ctrl 1');
  act(() => own({ 'step.first': 'g h' }));
  const caps = screen.getByText('First step').closest('div')?.querySelectorAll('kbd') ?? [];
  expect([...caps].map((cap) => cap.textContent)).toEqual(['g', 'h']);
  expect(keysOf('TRAIN and continue')).toBe('t');
});

test('keys are printed as the keyboard prints them', () => {
  own({ 'app.search': '`' });
  useKeyLayout.setState({ layout: new Map([['Backquote', '^']]) });
  show(<ShortcutSheet onClose={close} />);
  expect(keysOf('Search')).toBe('^');
});

test('Change keys leads to the settings, and Escape closes the sheet', () => {
  show(<ShortcutSheet onClose={close} />);
  fireEvent.click(screen.getByRole('button', { name: 'Change keys' }));
  expect(useView.getState().dialog).toBe('settings');
  fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Escape' });
  expect(close).toHaveBeenCalledTimes(1);
});
