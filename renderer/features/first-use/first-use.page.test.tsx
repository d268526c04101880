import type { WorkspaceStatus } from '@shared/contract/ipc/application';
import { defaultSettings, type Settings } from '@shared/contract/settings';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { show, shown } from '../../page-fixtures';
import { runSummary } from '../../state/run/run-fixtures';
import { useRuns } from '../../state/run/runs';
import { useSettings } from '../../state/settings';
import { useView } from '../../state/view';
import { useWorkspace } from '../../state/workspace';
import { FirstUse } from './FirstUse';

const workspace = (change: Partial<WorkspaceStatus> = {}): WorkspaceStatus => ({
  folder: null,
  defaultFolder: '/home/me/waymark',
  freeBytes: 2_000_000_000,
  problem: null,
  unreadable: [],
  isReadOnly: false,
  ...change,
});
const named = (name: string): Settings => ({ ...defaultSettings(), annotator: { uuid: 'u', name } });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const now = () => document.querySelector('[aria-current="step"] h2')?.textContent;

beforeEach(() => {
  useSettings.setState({ settings: named('') });
  useWorkspace.setState({ status: workspace(), problem: null });
  useRuns.setState({ list: [], current: null });
  useView.setState({ dialog: null });
});

test('asks for a name first; Enter keeps it, and the next step is the folder', async () => {
  const bridge = show(<FirstUse />, {
    'settings.set': (change: Partial<Settings>) => ({ ...defaultSettings(), ...change }),
  });
  expect(now()).toBe('Your name');
  const field = screen.getByRole('textbox', { name: 'Your name' });
  expect(document.activeElement).toBe(field);
  expect(button('Save name').disabled).toBe(true);
  fireEvent.change(field, { target: { value: '  ' } });
  expect(button('Save name').disabled).toBe(true);
  fireEvent.submit(field);
  expect(bridge.calls).toEqual([]);
  fireEvent.change(field, { target: { value: ' Ann ' } });
  fireEvent.submit(field);
  expect(await screen.findByText('Ann')).toBeTruthy();
  expect(bridge.calls).toEqual([['settings.set', { annotator: { uuid: 'u', name: 'Ann' } }]]);
  expect(now()).toBe('Data folder');
});

test('a run is begun only after name and folder, and what is missing is said', () => {
  show(<FirstUse />);
  const begins = ['Run the demo', 'New run', 'Import a run'];
  expect(begins.map((name) => button(name).disabled)).toEqual([true, true, true]);
  expect(screen.getByText('Enter your name first.')).toBeTruthy();
  expect(button('Open a workspace').disabled).toBe(false);
});

test('the folder that is offered is opened; one that cannot be says why and is still offered', async () => {
  useSettings.setState({ settings: named('Ann') });
  let refused = true;
  const bridge = show(<FirstUse />, {
    'workspace.openDefault': () => {
      if (refused) throw { code: 'workspace_network_fs', message: 'That is a network disk.' };
      return workspace({ folder: '/home/me/waymark' });
    },
  });
  expect(screen.getByText('/home/me/waymark, 1.9 GB free')).toBeTruthy();
  expect(screen.getByText('Choose a data folder first.')).toBeTruthy();
  fireEvent.click(button('Use this folder'));
  expect(await screen.findByText('That is a network disk.')).toBeTruthy();
  refused = false;
  fireEvent.click(button('Use this folder'));
  await waitFor(() => expect(now()).toBe('First run'));
  expect(screen.queryByRole('button', { name: 'Use this folder' })).toBeNull();
  expect(button('New run').disabled).toBe(false);
  expect(bridge.calls.map(([name]) => name)).toEqual(['workspace.openDefault', 'workspace.openDefault']);
});

test('the demo is started once, opens, and a failure leaves the button for another try', async () => {
  useSettings.setState({ settings: named('Ann') });
  useWorkspace.setState({ status: workspace({ folder: '/w' }) });
  const answers: [() => void, (failure: unknown) => void][] = [];
  show(<FirstUse />, {
    'demo.start': () => new Promise((done, fail) => answers.push([() => done({ run: 'demo' }), fail])),
    'runs.summary': () => runSummary('demo'),
  });
  fireEvent.click(button('Run the demo'));
  expect(button('Starting the demo…').disabled).toBe(true);
  await shown();
  answers[0]?.[1]({ code: 'refused', message: 'The demo server did not start.' });
  expect(await screen.findByText('The demo server did not start.')).toBeTruthy();
  fireEvent.click(await screen.findByRole('button', { name: 'Run the demo' }));
  await shown();
  answers[1]?.[0]();
  await waitFor(() => expect(useRuns.getState().current).toBe('demo'));
  expect(await screen.findByRole('button', { name: 'Run the demo' })).toBeTruthy();
});

test('a name is changed, and the keys of what comes next are those that are set', async () => {
  const own = { 'hint.compose': 'Mod+h', 'label.train': 'Mod+t', 'label.mask': 'Mod+m' };
  useSettings.setState({ settings: { ...named('Ann'), keys: own } });
  const bridge = show(<FirstUse />, {
    'settings.set': (change: Partial<Settings>) => ({ ...defaultSettings(), ...change }),
  });
  const keys = [...screen.getByRole('region', { name: 'What you will see' }).querySelectorAll('kbd')];
  expect(keys.map((one) => one.textContent).slice(1, 4)).toEqual(['Ctrl H', 'Ctrl T', 'Ctrl M']);
  fireEvent.click(button('Change'));
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Your name' });
  expect(field.value).toBe('Ann');
  fireEvent.change(field, { target: { value: 'Bo' } });
  fireEvent.click(button('Save name'));
  expect(await screen.findByText('Bo')).toBeTruthy();
  expect(bridge.calls).toEqual([['settings.set', { annotator: { uuid: 'u', name: 'Bo' } }]]);
});

test('keys are those that the person has set, and no sentence names another', () => {
  const keys = { 'hint.compose': '7', 'label.train': '8', 'label.mask': '9' };
  useSettings.setState({ settings: { ...named('Ann'), keys } });
  show(<FirstUse />);
  const lines = [...document.querySelectorAll('.first-use-what li')];
  const caps = lines.map((line) => line.querySelector('.keycaps')?.textContent);
  expect(caps.slice(1, 3)).toEqual(['7', '89']);
  for (const line of lines) expect(line.lastElementChild?.textContent).not.toMatch(/\bpress [a-z]\b/i);
});
