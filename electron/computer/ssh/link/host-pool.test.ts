import type { LinkHealth, TransportKind } from '@shared/contract/computers';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock';
import { ScriptedHost, scriptedHelper } from '../../../testing/scripted-host';
import type { ComputerOrder, HostComputer } from '../../hosts';
import { ConnectFailure } from '../transport';
import type { HostLink } from './host-link';
import { HostPool } from './host-pool';

const open: { pool: HostPool; clock: ManualClock }[] = [];

afterEach(async () => {
  for (const { pool, clock } of open.splice(0)) {
    const disposed = pool.dispose();
    await clock.advance(5000);
    await disposed;
    expect(clock.pending, 'timers after the end').toBe(0);
  }
});

/** As much of a computer as the pool has to do with. */
type Made = Pick<HostComputer, 'name' | 'dispose'> & { link: HostLink };

function stand() {
  const clock = new ManualClock();
  const hosts = new Map<string, ScriptedHost>();
  const network = { is: 'home', looks: 0 };
  const hostOf = (alias: string, kind: TransportKind = 'ssh2') => {
    const key = `${alias} ${kind}`;
    const host = hosts.get(key) ?? new ScriptedHost();
    hosts.set(key, host);
    return host;
  };
  const pool = new HostPool({
    transport: hostOf,
    computer: (order, link, release) => {
      const made: Made = { name: order.name, link, dispose: async () => release() };
      return made as unknown as HostComputer;
    },
    helper: scriptedHelper,
    prompts: { ask: () => Promise.resolve(null), alarm: () => undefined },
    resolve: () => Promise.reject(new Error('unused')),
    candidates: async () => ['gpu-03', 'gpu-04'],
    clock,
    random: () => 0.5,
    networks: () => {
      network.looks += 1;
      return network.is;
    },
  });
  open.push({ pool, clock });
  const told: LinkHealth[][] = [];
  pool.onHealth((changed) => told.push(changed));
  const computer = (alias: string, namespace = 'run', transport: TransportKind = 'ssh2') => {
    const order: ComputerOrder = { name: alias, alias, transport, namespace };
    return pool.computer(order) as unknown as Made;
  };
  const up = async (made: Made) => {
    const client = made.link.linked(new AbortController().signal);
    await clock.settle();
    return client;
  };
  return { clock, pool, told, network, hostOf, computer, up };
}

describe('hosts of a process', () => {
  it('have one link for many computers, which closes with the last', async () => {
    const { clock, pool, hostOf, computer, up } = stand();
    const computers = ['run-1', 'run-2', 'own'].map((namespace) => computer('gpu-04', namespace));
    await clock.advance(60_000);
    expect(hostOf('gpu-04').opens).toBe(0);
    const clients = [];
    for (const each of computers) clients.push(await up(each));
    expect(new Set(clients).size).toBe(1);
    expect(hostOf('gpu-04').opens).toBe(1);
    await computers[0]?.dispose();
    await computers[1]?.dispose();
    await clock.advance(60_000);
    expect(hostOf('gpu-04').channels).toBe(1);
    await computers[2]?.dispose();
    await clock.advance(5000);
    expect(hostOf('gpu-04').channels).toBe(0);
    expect(pool.health('gpu-04').state).toBe('idle');
    await up(computer('gpu-04'));
    expect(hostOf('gpu-04').opens).toBe(2);
  });

  it('are apart from each other, and by the way they are reached', async () => {
    const { clock, pool, hostOf, computer, up } = stand();
    const first = computer('gpu-04');
    await up(first);
    await up(computer('gpu-03'));
    hostOf('gpu-04').cut();
    await clock.settle();
    expect(pool.allHealth().map(({ alias, state }) => `${alias} ${state}`)).toEqual([
      'gpu-04 down',
      'gpu-03 good',
    ]);
    await up(computer('gpu-04', 'run', 'openssh'));
    expect(hostOf('gpu-04', 'openssh').opens).toBe(1);
    expect(pool.health('gpu-04').state).toBe('good');
    await first.dispose();
    await clock.advance(5000);
    expect(pool.health('gpu-04').state).toBe('good');
  });

  it('say idle of a host nobody asked for', () => {
    const { pool } = stand();
    expect(pool.health('never')).toMatchObject({
      alias: 'never',
      state: 'idle',
      message: '',
      lastByteAt: null,
    });
    expect(pool.allHealth()).toEqual([]);
  });

  it('tell changes together, once each, with what is true then', async () => {
    const { clock, told, computer } = stand();
    const computers = [computer('gpu-03'), computer('gpu-04')];
    for (const { link } of computers) link.linked(new AbortController().signal);
    await clock.advance(50);
    expect(told.map((changed) => changed.map(({ alias, state }) => `${alias} ${state}`))).toEqual([
      ['gpu-03 good', 'gpu-04 good'],
    ]);
    await clock.advance(3000);
    expect(told).toHaveLength(1);
    await clock.advance(1100);
    expect(told).toHaveLength(2);
  });
});

describe('trying again', () => {
  const away = () => Promise.reject(new ConnectFailure('tcp', 'tcp', 'Unreachable.'));

  it('happens at once when the network of the machine changes, and nobody looks at it otherwise', async () => {
    const { clock, pool, network, hostOf, computer, up } = stand();
    await up(computer('gpu-04'));
    const atFirst = network.looks;
    await clock.advance(60_000);
    expect(network.looks).toBe(atFirst);
    hostOf('gpu-04').onOpen = away;
    hostOf('gpu-04').cut();
    await clock.advance(70_000);
    expect(network.looks).toBeGreaterThan(20);
    expect((pool.health('gpu-04').retryAt ?? 0) - clock.now()).toBeGreaterThan(4000);
    hostOf('gpu-04').onOpen = () => undefined;
    network.is = 'café';
    await clock.advance(3000);
    expect(pool.health('gpu-04').state).toBe('good');
    const { looks } = network;
    await clock.advance(60_000);
    expect(network.looks).toBe(looks);
  });

  it('happens soon after the machine slept, also when nobody says that it woke up', async () => {
    const { clock, pool, hostOf, computer, up } = stand();
    await up(computer('gpu-04'));
    hostOf('gpu-04').onOpen = away;
    hostOf('gpu-04').cut();
    await clock.advance(70_000);
    expect((pool.health('gpu-04').retryAt ?? 0) - clock.now()).toBeGreaterThan(4000);
    hostOf('gpu-04').onOpen = () => undefined;
    clock.sleep(3_600_000);
    await clock.advance(3000);
    expect(pool.health('gpu-04').state).toBe('good');
  });

  it('of all hosts leaves those alone that wait for a person; of one host is a person’s word', async () => {
    const { clock, pool, hostOf, computer } = stand();
    const blocked = computer('locked');
    const down = computer('away');
    hostOf('locked').onOpen = () => Promise.reject(new ConnectFailure('auth', 'auth', 'No.'));
    hostOf('away').onOpen = away;
    for (const { link } of [blocked, down]) link.linked(new AbortController().signal).catch(() => undefined);
    await clock.advance(100_000);
    const before = hostOf('away').opens;
    pool.retryNow();
    await clock.settle();
    expect(hostOf('away').opens).toBe(before + 1);
    expect(hostOf('locked').opens).toBe(1);
    hostOf('locked').onOpen = () => undefined;
    pool.retryNow('locked');
    await clock.settle();
    expect(pool.health('locked').state).toBe('good');
    pool.retryNow('unheard-of');
  });
});

describe('the end', () => {
  it('closes every link and tells nobody any more', async () => {
    const { clock, pool, told, hostOf, computer, up } = stand();
    await up(computer('gpu-03'));
    await up(computer('gpu-04'));
    hostOf('gpu-04').onOpen = () => new Promise(() => undefined);
    hostOf('gpu-04').cut();
    await clock.advance(600);
    const before = told.length;
    const disposed = pool.dispose();
    await clock.advance(3000);
    await disposed;
    expect(hostOf('gpu-03').channels + hostOf('gpu-04').channels).toBe(0);
    expect(clock.pending).toBe(0);
    expect(told).toHaveLength(before);
  });

  it('of a test leaves the links alone', async () => {
    const { clock, pool, hostOf, computer, up } = stand();
    await up(computer('gpu-04'));
    hostOf('gpu-04').answers.set('exec', () => ({ fields: ['127', '0'] }));
    const testing = pool.test('gpu-04', 'ssh2', () => undefined, new AbortController().signal);
    await clock.settle();
    expect((await testing).ok).toBe(true);
    expect(hostOf('gpu-04').opens).toBe(2);
    expect(hostOf('gpu-04').channels).toBe(1);
    expect(pool.health('gpu-04').state).toBe('good');
    expect(await pool.candidates()).toEqual(['gpu-03', 'gpu-04']);
  });
});
