import type { ComputerRow, HostReport, LinkHealth, StageView } from '@shared/contract/computers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BridgeStand, settled } from './bridge-fixtures';
import {
  addComputer,
  cancelTest,
  closeComputers,
  loadComputers,
  openComputers,
  removeComputer,
  startComputers,
  testComputer,
  useComputers,
} from './computers';

const health = (alias: string, change: Partial<LinkHealth> = {}): LinkHealth => ({
  alias,
  state: 'good',
  lastByteAt: 1,
  roundTripMs: 20,
  since: 1,
  retryAt: null,
  tries: 0,
  message: '',
  ...change,
});
const row = (alias: string): ComputerRow => ({
  alias,
  transport: 'ssh2',
  addedAt: 1,
  health: health(alias),
  report: null,
});
const stage = (state: StageView['state']): StageView => ({
  stage: 'tcp',
  state,
  message: '',
  via: null,
  ms: null,
});
const report = (alias: string): HostReport => ({
  alias,
  transport: 'ssh2',
  at: 5,
  ok: true,
  stages: [stage('ok')],
  facts: null,
  limits: [],
});

let rows: ComputerRow[];
/** Tests under way in the main process, by alias. */
let tests: Map<string, { done: (report: HostReport) => void; cancel: () => void }>;
let bridge: BridgeStand;
let stop: () => void;

beforeEach(() => {
  rows = [row('gpu-03'), row('gpu-04')];
  tests = new Map();
  bridge = new BridgeStand({
    'computers.list': () => rows,
    'computers.health': () => [health('of-a-run', { state: 'down' })],
    'computers.test': ({ alias }: { alias: string }) =>
      new Promise((done, refuse) => {
        tests.get(alias)?.cancel();
        tests.set(alias, { done, cancel: () => refuse({ code: 'cancelled', message: 'cancelled' }) });
      }),
    'computers.cancelTest': ({ alias }: { alias: string }) => tests.get(alias)?.cancel(),
    'computers.add': ({ alias }: { alias: string }) => {
      rows = [...rows, row(alias)];
    },
    'computers.remove': ({ alias }: { alias: string }) => {
      rows = rows.filter((other) => other.alias !== alias);
    },
    'computers.networkChanged': () => undefined,
  });
  useComputers.setState({ rows: [], loaded: false, health: {}, tests: {}, place: null });
  stop = startComputers();
});
afterEach(() => stop());

describe('the list', () => {
  it('is read with its health, and later health wins', async () => {
    expect(useComputers.getState().loaded).toBe(false);
    await loadComputers();
    bridge.send('computers.changed', {
      health: [health('gpu-04', { state: 'down' }), health('other', { state: 'stalled' })],
    });
    const { loaded, health: known, rows: listed } = useComputers.getState();
    expect(loaded).toBe(true);
    expect(listed.map(({ alias }) => alias)).toEqual(['gpu-03', 'gpu-04']);
    expect(Object.entries(known).map(([alias, { state }]) => [alias, state])).toEqual([
      ['gpu-03', 'good'],
      ['gpu-04', 'down'],
      ['of-a-run', 'down'],
      ['other', 'stalled'],
    ]);
  });

  it('drops an answer that a newer one has overtaken', async () => {
    const answers: ((rows: ComputerRow[]) => void)[] = [];
    bridge.answers['computers.list'] = () => new Promise((resolve) => answers.push(resolve));
    const first = loadComputers();
    const second = loadComputers();
    answers[1]?.([row('new')]);
    answers[0]?.([row('old')]);
    await Promise.all([first, second]);
    expect(useComputers.getState().rows.map(({ alias }) => alias)).toEqual(['new']);
  });

  it('stops listening when it is told to', () => {
    expect(bridge.listening()).toBe(3);
    stop();
    expect(bridge.listening()).toBe(0);
  });
});

describe('the dialog', () => {
  it('opens on a host, on the first one, or on what can be added', async () => {
    openComputers();
    expect(useComputers.getState().place).toEqual({ page: 'add', alias: '' });
    await loadComputers();
    openComputers();
    expect(useComputers.getState().place).toEqual({ page: 'host', alias: 'gpu-03' });
    openComputers('gpu-04');
    expect(useComputers.getState().place).toEqual({ page: 'host', alias: 'gpu-04' });
    openComputers('gpu-09');
    expect(useComputers.getState().place).toEqual({ page: 'add', alias: 'gpu-09' });
  });

  it('goes to a host that was added, and on from one that was removed', async () => {
    await loadComputers();
    openComputers('gpu-09');
    await addComputer('gpu-09', 'ssh2');
    expect(useComputers.getState().place).toEqual({ page: 'host', alias: 'gpu-09' });
    await removeComputer('gpu-09');
    expect(useComputers.getState().place).toEqual({ page: 'host', alias: 'gpu-03' });
  });

  it('stays closed when a host is added without it', async () => {
    await addComputer('gpu-09', 'ssh2');
    expect(useComputers.getState().place).toBeNull();
  });

  it('cancels what it tests when it closes', async () => {
    openComputers('gpu-09');
    const tested = testComputer('gpu-09', 'ssh2');
    await settled();
    closeComputers();
    await tested;
    expect(useComputers.getState().tests['gpu-09']).toMatchObject({ running: false, failure: null });
    expect(bridge.calls).toContainEqual(['computers.cancelTest', { alias: 'gpu-09' }]);
  });
});

describe('a test', () => {
  const state = () => useComputers.getState().tests['gpu-03'];

  it('shows its stages as they come, then its report', async () => {
    const tested = testComputer('gpu-03', 'ssh2');
    await settled();
    bridge.send('computer.stage', { alias: 'gpu-03', stages: [stage('running')] });
    expect(state()).toEqual({ running: true, stages: [stage('running')], report: null, failure: null });
    tests.get('gpu-03')?.done(report('gpu-03'));
    await tested;
    expect(state()).toMatchObject({ running: false, stages: [stage('ok')], report: { at: 5 } });
    bridge.send('computer.stage', { alias: 'gpu-03', stages: [stage('failed')] });
    expect(state()?.stages).toEqual([stage('ok')]);
  });

  it('that was cancelled says nothing, one that failed says why', async () => {
    const cancelled = testComputer('gpu-03', 'ssh2');
    await settled();
    cancelTest('gpu-03');
    await cancelled;
    expect(state()).toMatchObject({ running: false, failure: null });
    bridge.answers['computers.test'] = () => {
      throw { code: 'unsupported', message: 'There is no ssh.' };
    };
    await testComputer('gpu-03', 'openssh');
    expect(state()?.failure).toMatchObject({ message: 'There is no ssh.' });
  });

  it('of another kind takes the place of the one before', async () => {
    const first = testComputer('gpu-03', 'ssh2');
    await settled();
    const second = testComputer('gpu-03', 'openssh');
    await settled();
    await first;
    expect(state()?.running).toBe(true);
    tests.get('gpu-03')?.done({ ...report('gpu-03'), transport: 'openssh' });
    await second;
    expect(state()?.report?.transport).toBe('openssh');
  });
});

it('a network that comes back is told', async () => {
  bridge.online();
  await settled();
  expect(bridge.calls).toEqual([['computers.networkChanged', undefined]]);
});
