import { commands } from '@shared/contract/ipc';
import { defaultSettings } from '@shared/contract/settings';
import { act } from '@testing-library/react';
import { expect, onTestFinished, test } from 'vitest';
import { show, shown } from './page-fixtures';
import { useToasts } from './state/toasts';
import { startSync } from './sync';

test('a person who is named before there is a workspace hears of no failure, and nothing of a workspace is asked for', async () => {
  const nobody = defaultSettings();
  const bridge = show(<span />, {
    'settings.get': () => nobody,
    'app.info': () => ({}),
    'computers.list': () => [],
    'computers.health': () => [],
    'computers.prompts': () => [],
    'workspace.status': () => ({
      folder: null,
      defaultFolder: '/home/ada/Waymark',
      freeBytes: 1e12,
      problem: null,
      unreadable: [],
      isReadOnly: null,
    }),
  });
  onTestFinished(startSync());
  await shown();
  const before = bridge.calls.length;
  act(() =>
    bridge.send('settings.changed', { ...nobody, annotator: { ...nobody.annotator, name: 'Ada Lovelace' } }),
  );
  await shown();
  const asked = bridge.calls.slice(before).map(([command]) => command);
  expect(asked.filter((command) => commands[command].place === 'workspace')).toEqual([]);
  expect(useToasts.getState().toasts).toEqual([]);
});
