import type { ComputerRow, HostReport, HostResolution, StageView } from '@shared/contract/computers';
import { resolvedHost } from '@shared/contract/host-fixtures';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { clipboard, show, shown } from '../../page-fixtures';
import { startComputers, useComputers } from '../../state/computers';
import { runSummary } from '../../state/run/run-fixtures';
import { useRuns } from '../../state/run/runs';
import { ComputersDialog } from './ComputersDialog';
import { HostBanner } from './HostBanner';

const health = (alias: string, change: Partial<ComputerRow['health']> = {}): ComputerRow['health'] => ({
  alias,
  state: 'good',
  lastByteAt: null,
  roundTripMs: 12,
  since: 0,
  retryAt: null,
  tries: 0,
  message: '',
  ...change,
});
const row = (alias: string, change: Partial<ComputerRow> = {}): ComputerRow => ({
  alias,
  transport: 'ssh2',
  addedAt: 0,
  health: health(alias),
  report: null,
  ...change,
});
const resolution = (alias: string): HostResolution => ({
  ...resolvedHost(alias),
  user: 'me',
  hostName: `${alias}.lab`,
});
const stage = (name: StageView['stage'], change: Partial<StageView>): StageView => ({
  stage: name,
  state: 'ok',
  message: '',
  via: null,
  ms: null,
  ...change,
});
const stages = [
  stage('tcp', { message: 'Connected.' }),
  stage('auth', { state: 'failed', message: 'Permission denied.' }),
];
const refused: HostReport = {
  alias: 'gpu-1',
  transport: 'ssh2',
  at: 0,
  ok: false,
  stages,
  facts: null,
  limits: [],
};
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

beforeEach(() => {
  useComputers.setState({ rows: [], loaded: true, health: {}, tests: {}, place: { page: 'add', alias: '' } });
  useRuns.setState({ list: [], current: null });
});

test('before any computer is added it asks for one, and says what is no name of a host', async () => {
  const bridge = show(<ComputersDialog />, {
    'computers.candidates': () => ['gpu-1', 'lab'],
    'computers.resolve': ({ alias }: { alias: string }) => resolution(alias),
  });
  // Nothing is claimed of a configuration that was not read yet.
  expect(screen.queryByText(/names no hosts/)).toBeNull();
  expect(await screen.findByRole('button', { name: 'lab' })).toBeTruthy();
  expect(screen.queryByRole('navigation')).toBeNull();
  expect(button('Look it up').disabled).toBe(true);
  const host = screen.getByLabelText('Host');
  fireEvent.change(host, { target: { value: 'local' } });
  fireEvent.submit(host);
  expect(screen.getByRole('alert').textContent).toContain('“local” is this computer');
  expect(host.getAttribute('aria-invalid')).toBe('true');
  fireEvent.change(host, { target: { value: 'gpu' } });
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.queryByRole('button', { name: 'lab' })).toBeNull();
  fireEvent.click(button('gpu-1'));
  expect(await screen.findByText('me@gpu-1.lab:22')).toBeTruthy();
  expect(bridge.calls.at(-1)).toEqual(['computers.resolve', { alias: 'gpu-1' }]);
});

test('a configuration that cannot be read is not said to name no hosts', async () => {
  show(<ComputersDialog />, {
    'computers.candidates': () => {
      throw { code: 'refused', message: 'The configuration cannot be read.' };
    },
  });
  expect(await screen.findByText('The configuration cannot be read.')).toBeTruthy();
  expect(screen.queryByText(/names no hosts/)).toBeNull();
});

test('a test shows its stages as they come, says what to do about the one that failed, and the host can still be added', async () => {
  useComputers.setState({ place: { page: 'add', alias: 'gpu-1' } });
  let answer: (report: HostReport) => void = () => undefined;
  const rows: ComputerRow[] = [];
  const bridge = show(<ComputersDialog />, {
    'computers.resolve': ({ alias }: { alias: string }) => resolution(alias),
    'computers.test': () =>
      new Promise<HostReport>((done) => {
        answer = done;
      }),
    'computers.list': () => rows,
    'computers.health': () => [],
    'computers.add': ({ alias }: { alias: string }) => {
      rows.push(row(alias, { report: refused }));
    },
  });
  const stop = startComputers();
  fireEvent.click(button('Test'));
  expect(button('Cancel the test')).toBeTruthy();
  expect(button('Add without a passing test').disabled).toBe(true);
  act(() => bridge.send('computer.stage', { alias: 'gpu-1', stages: stages.slice(0, 1) }));
  expect(screen.getByTestId('stages').textContent).toContain('Connected.');
  expect(screen.queryByText('The test failed at one stage.')).toBeNull();
  answer(refused);
  expect(await screen.findByText('The test failed at one stage.')).toBeTruthy();
  expect(screen.getByTestId('stages').textContent).toMatch(/Login.*Permission denied.*IdentityFile/);
  expect(button('Test again').disabled).toBe(false);
  fireEvent.click(button('Add without a passing test'));
  expect(await screen.findByText('Added gpu-1')).toBeTruthy();
  const list = within(screen.getByRole('navigation', { name: 'Added computers' }));
  expect(list.getByRole('button', { name: /gpu-1/ }).getAttribute('aria-current')).toBe('true');
  expect(bridge.calls).toContainEqual(['computers.add', { alias: 'gpu-1', transport: 'ssh2' }]);
  stop();
});

test('a host that is away says why and is tried now; a removal that is refused says so and leaves it', async () => {
  const down = health('gpu-1', { state: 'down', message: 'The network is unreachable.' });
  useComputers.setState({
    rows: [row('gpu-1', { health: down }), row('lab')],
    health: { 'gpu-1': down, lab: health('lab') },
    place: { page: 'host', alias: 'gpu-1' },
  });
  const bridge = show(<ComputersDialog />, {
    'computers.resolve': () => {
      throw { code: 'not_found', message: 'ssh knows no gpu-1.' };
    },
    'computers.retryNow': () => undefined,
    'computers.remove': () => {
      throw { code: 'refused', message: 'A run works on gpu-1.' };
    },
  });
  const page = within(screen.getByRole('article', { name: 'gpu-1' }));
  expect(page.getByText('The network is unreachable.')).toBeTruthy();
  expect((await page.findByRole('alert')).textContent).toContain('ssh knows no gpu-1.');
  fireEvent.click(page.getByRole('button', { name: 'Try now' }));
  fireEvent.click(page.getByRole('button', { name: 'Remove' }));
  expect(await screen.findByText('A run works on gpu-1.')).toBeTruthy();
  expect(bridge.calls.slice(1)).toEqual([
    ['computers.retryNow', { alias: 'gpu-1' }],
    ['computers.remove', { alias: 'gpu-1' }],
  ]);
  fireEvent.click(screen.getByRole('button', { name: /^lab/ }));
  expect(within(screen.getByRole('article', { name: 'lab' })).queryByText('Try now')).toBeNull();
});

test('a click on the other way to connect is kept, and why the built-in one does not do is said', async () => {
  useComputers.setState({ rows: [row('gpu-1')], place: { page: 'host', alias: 'gpu-1' } });
  let transport: ComputerRow['transport'] = 'ssh2';
  const bridge = show(<ComputersDialog />, {
    'computers.resolve': () => ({ ...resolution('gpu-1'), needsOpenSsh: ['PKCS11Provider'] }),
    'computers.setTransport': (input: { transport: ComputerRow['transport'] }) => {
      transport = input.transport;
    },
    'computers.list': () => [row('gpu-1', { transport })],
    'computers.health': () => [],
  });
  expect(await screen.findByText(/requires PKCS11Provider for this host/)).toBeTruthy();
  const [builtIn, system] = screen.getAllByRole<HTMLInputElement>('radio');
  expect([builtIn?.checked, system?.checked]).toEqual([true, false]);
  fireEvent.click(screen.getByLabelText(/^The system’s OpenSSH client/));
  expect(await screen.findByText('gpu-1 uses this method from its next connection on')).toBeTruthy();
  expect([builtIn?.checked, system?.checked]).toEqual([false, true]);
  expect(screen.queryByText(/requires PKCS11Provider/)).toBeNull();
  expect(bridge.calls).toContainEqual(['computers.setTransport', { alias: 'gpu-1', transport: 'openssh' }]);
});

test('a banner stands while a computer of the open run is away, with what to copy and the way to its page', async () => {
  const copied = clipboard();
  const computers = [{ name: 'trainer', kind: 'ssh' as const, host: 'gpu-1' }];
  useRuns.setState({ list: [runSummary('run', { state: 'waiting_host', computers })], current: 'run' });
  useComputers.setState({ rows: [row('gpu-1')], place: null, health: { 'gpu-1': health('gpu-1') } });
  const bridge = show(<HostBanner />, { 'computers.retryNow': () => undefined });
  expect(screen.queryByRole('alert')).toBeNull();
  const message = 'The host closed the connection.';
  act(() => useComputers.setState({ health: { 'gpu-1': health('gpu-1', { state: 'blocked', message }) } }));
  expect(screen.getByRole('alert').textContent).toContain('trainer needs you. The run is waiting for it.');
  fireEvent.click(button('Copy details'));
  fireEvent.click(button('Try now'));
  fireEvent.click(button('Show details'));
  await shown();
  expect(copied).toEqual([`gpu-1: blocked, ${message}`]);
  expect(bridge.calls).toEqual([['computers.retryNow', { alias: 'gpu-1' }]]);
  expect(useComputers.getState().place).toEqual({ page: 'host', alias: 'gpu-1' });
  expect(screen.getByRole('status').textContent).toBe('');
});
