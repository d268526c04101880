import type { RemoteStatus } from '@shared/contract/ipc/remote';
import { beforeEach, expect, it, vi } from 'vitest';
import { BridgeStand, settled } from '../../state/bridge-fixtures';
import { lastPlace, openRemote, startRemote, takeRemote, useRemote } from './remote';

const up: RemoteStatus = {
  alias: 'gpu-login',
  folder: '/w',
  state: 'up',
  message: '',
  waiting: 0,
  refused: [],
  version: '0.1.0',
};

beforeEach(() => {
  useRemote.setState({ status: null, since: 0, asking: false });
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
});

it('counts from the change of the state, not from each message about it', () => {
  takeRemote(up, 1000);
  takeRemote({ ...up, state: 'down' }, 2000);
  takeRemote({ ...up, state: 'down', waiting: 3 }, 9000);
  expect(useRemote.getState()).toMatchObject({ since: 2000, status: { waiting: 3 } });
  takeRemote(up, 9500);
  expect(useRemote.getState().since).toBe(9500);
});

it('an answer about the status does not undo a change that came before it', async () => {
  let answer: (status: RemoteStatus | null) => void = () => undefined;
  const stand = new BridgeStand({
    'remote.status': () => new Promise((resolve) => (answer = resolve)),
  });
  const stop = startRemote();
  stand.send('remote.changed', { status: up });
  answer(null);
  await settled();
  expect(useRemote.getState().status).toEqual(up);
  stop();
  expect(stand.listening()).toBe(0);
});

it('remembers the place that was opened, not one that was refused', async () => {
  const stand = new BridgeStand({
    'remote.open': ({ alias }: { alias: string }) => {
      if (alias === 'bad') throw { code: 'computer_unavailable', message: 'no' };
      return up;
    },
  });
  expect(lastPlace()).toEqual({ alias: '', folder: '', command: 'waymark' });
  await openRemote({ alias: 'gpu-login', folder: ' /w ', command: 'node /opt/cli.js' });
  await expect(openRemote({ alias: 'bad', folder: '', command: 'waymark' })).rejects.toThrow('no');
  expect(lastPlace()).toEqual({ alias: 'gpu-login', folder: '/w', command: 'node /opt/cli.js' });
  expect(stand.calls[0]?.[1]).toEqual({ alias: 'gpu-login', folder: '/w', command: 'node /opt/cli.js' });
});
