import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSession, runToEnd, untilState, untilText } from '../../testing/conformance/session-driver';
import { eventually, factDeadlineMs } from '../../testing/deadline';
import { ComputerUnavailable } from '../failures';
import { LocalFiles } from '../local/local-files';
import { LocalSessionBackend } from '../local/local-session-backend';
import type { Computer } from '../port';
import type { SessionBackend, SessionWatch } from './backend';
import { sessionEnvironment } from './environment';
import { BackedSessionHost } from './session-host';

const resourcesDir = resolve(import.meta.dirname, '../../../resources');
const systemPath = (process.env.PATH ?? '')
  .split(':')
  .filter((part) => !part.endsWith('shims'))
  .join(':');

type Loss = 'request' | 'answer';

/** This computer's sessions over a link that breaks on order. */
class Link {
  /** What is lost of the next call of each operation. */
  readonly losses = new Map<keyof SessionBackend, Loss>();
  down = false;
  readonly calls: string[] = [];

  readonly backend: SessionBackend;

  constructor(real: SessionBackend) {
    this.backend = new Proxy(real, {
      get: (target, name: keyof SessionBackend) => {
        if (name === 'watch') return target.watch.bind(target);
        return (...args: never[]) => this.call(target, name, args);
      },
    });
  }

  private async call(target: SessionBackend, name: keyof SessionBackend, args: never[]): Promise<unknown> {
    this.calls.push(name);
    const loss = this.losses.get(name);
    this.losses.delete(name);
    if (this.down || loss === 'request') throw away();
    const operation = target[name] as (...all: never[]) => Promise<unknown>;
    const answer = await operation.apply(target, args);
    if (loss === 'answer') throw away();
    return answer;
  }
}

const away = () => new ComputerUnavailable('far', 'The computer far is away.');

describe('sessions over a link that breaks', () => {
  let root: string;
  let link: Link;
  let host: BackedSessionHost;
  let computer: Computer;
  let bench: Parameters<typeof openSession>[0];

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'waymark-link-')));
    const sessionsDir = join(root, 'sessions');
    link = new Link(new LocalSessionBackend({ sessionsDir, resourcesDir, supervisors: ['perl', 'python3'] }));
    host = new BackedSessionHost({
      backend: link.backend,
      computer: 'far',
      environment: (spec) => sessionEnvironment(spec.name, { PATH: systemPath, HOME: root }, spec.env),
    });
    // Only its sessions are asked for anything here.
    computer = { name: 'far', kind: 'ssh', sessions: host, files: new LocalFiles() } as unknown as Computer;
    bench = { computer, workdir: root, setup: undefined as never };
  });
  afterEach(async () => {
    link.down = false;
    link.losses.clear();
    for (const { name } of await host.list()) await host.close(name);
    await host.dispose();
    await rm(root, { recursive: true });
  });

  it.each<Loss>(['request', 'answer'])('makes one session when the %s of its start is lost', async (loss) => {
    link.losses.set('start', loss);
    await expect(openSession(bench)).rejects.toThrow(ComputerUnavailable);
    const made = await openSession(bench);
    expect(await host.list()).toMatchObject([{ id: made.id, alive: true }]);
    // Another order under that name is told of it.
    await expect(openSession(bench)).rejects.toMatchObject({ reason: 'session_exists' });
  });

  it('takes a session that was made under the same name by another order for what it is', async () => {
    link.losses.set('start', 'answer');
    await expect(openSession(bench)).rejects.toThrow(ComputerUnavailable);
    await expect(openSession(bench, 's', { rows: 41 })).rejects.toMatchObject({ reason: 'session_exists' });
  });

  it.each<Loss>(['request', 'answer'])('runs a command once when the %s is lost', async (loss) => {
    await openSession(bench);
    link.losses.set('command', loss);
    await expect(host.run('s', 'echo once >> out')).rejects.toThrow(ComputerUnavailable);
    const { commandSeq } = await host.run('s', 'echo once >> out');
    expect(commandSeq).toBe(1);
    await host.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    expect((await runToEnd(computer, 'cat out')).text).toBe('once\n');
  });

  it('runs the same text again after a look told that it ran', async () => {
    await openSession(bench);
    link.losses.set('command', 'answer');
    await expect(host.run('s', 'echo twice >> out')).rejects.toThrow(ComputerUnavailable);
    await host.waitCommand('s', 1, { timeoutMs: factDeadlineMs });
    expect(await host.commands('s')).toHaveLength(1);
    expect((await host.run('s', 'echo twice >> out')).commandSeq).toBe(2);
    await host.waitCommand('s', 2, { timeoutMs: factDeadlineMs });
    expect((await runToEnd(computer, 'cat out')).text).toBe('twice\ntwice\n');
  });

  it('does not run a command in doubt once another one followed it', async () => {
    await openSession(bench);
    link.losses.set('command', 'answer');
    await expect(host.run('s', 'echo doubt >> out')).rejects.toThrow(ComputerUnavailable);
    const other = new BackedSessionHost({
      backend: link.backend,
      computer: 'far',
      environment: () => ({}),
    });
    await other.waitCommand('s', 1, { timeoutMs: factDeadlineMs });
    const { commandSeq } = await other.run('s', 'echo other >> out');
    await other.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    const answer = await host.run('s', 'echo doubt >> out').catch((error: unknown) => error);
    expect(answer).toMatchObject(answer instanceof Error ? { reason: 'session_busy' } : { commandSeq: 1 });
    expect((await runToEnd(computer, 'cat out')).text).toBe('doubt\nother\n');
    await other.dispose();
  });

  it('delivers an input number once when its answer is lost', async () => {
    await openSession(bench);
    const { commandSeq } = await host.run('s', 'read a; read b; echo "[$a][$b]"');
    await untilState(computer, 'waiting');
    link.losses.set('input', 'answer');
    const bytes = new TextEncoder().encode('one\n');
    await expect(host.write('s', bytes, 9)).rejects.toThrow(ComputerUnavailable);
    expect(await host.write('s', bytes, 9)).toEqual({ inputSeq: 9, delivered: false });
    await host.write('s', new TextEncoder().encode('two\n'), 10);
    await host.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    await untilText(computer, '[one][two]');
  });

  it('rejects whoever waits when the link breaks, and knows the outcome when it is back', async () => {
    await openSession(bench);
    const { commandSeq } = await host.run('s', 'until [ -e go ]; do sleep 0.02; done; exit 6');
    const waiting = host.waitCommand('s', commandSeq, {});
    const seen = waiting.catch((error: unknown) => error);
    link.down = true;
    expect(await seen).toBeInstanceOf(ComputerUnavailable);
    for (const question of [
      () => host.state('s'),
      () => host.list(),
      () => host.find('s'),
      () => host.find('other'),
      () => host.read('s', 0, 1),
      () => host.run('s', 'true'),
      () => host.write('s', new Uint8Array(1)),
      () => host.commands('s'),
      () => host.resize('s', 10, 10),
      () => host.signal('s', 'KILL'),
      () => host.close('s'),
      () => host.discardClosed(0),
      () => host.follow('s', 0, () => undefined, new AbortController().signal),
    ]) {
      await expect(question()).rejects.toThrow(ComputerUnavailable);
    }
    link.down = false;
    await computer.files.write(join(root, 'go'), new Uint8Array(0));
    expect(await host.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs })).toMatchObject({
      exitCode: 6,
      timedOut: false,
    });
    expect(await host.state('s')).toMatchObject({ state: 'ended', exitCode: 6 });
  });

  it.each<[keyof SessionBackend, Loss]>([
    ['archive', 'request'],
    ['archive', 'answer'],
    ['kill', 'answer'],
    ['holders', 'request'],
    ['started', 'answer'],
  ])('closes a session although the link broke (%s, %s)', async (operation, loss) => {
    const { id } = await openSession(bench);
    await host.run('s', 'sleep 300');
    link.losses.set(operation, loss);
    await expect(host.close('s')).rejects.toThrow(ComputerUnavailable);
    expect(await host.close('s')).toMatchObject({ id });
    expect(await host.find('s')).toBeUndefined();
    await expect(host.close('s')).rejects.toMatchObject({ reason: 'session_not_found' });
  });

  it('answers who gives up although the host does not', async () => {
    await openSession(bench);
    const { commandSeq } = await host.run('s', 'sleep 300');
    const stop = new AbortController();
    const stuck = new BackedSessionHost({
      backend: new Proxy(link.backend, {
        get: (target, name: keyof SessionBackend) =>
          name === 'look' ? () => new Promise(() => undefined) : target[name],
      }),
      computer: 'far',
      environment: () => ({}),
    });
    const waiting = stuck.waitCommand('s', commandSeq, { signal: stop.signal });
    await eventually('it is identified', () => link.calls.includes('identify'));
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const other = stuck.waitCommand('s', commandSeq, {});
    await stuck.dispose();
    await expect(other).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('looks for the end of a command it has just sent once something was heard of the session', async () => {
    await openSession(bench);
    let heard = 0;
    let tell: () => void = () => undefined;
    const watch: SessionWatch = {
      get heard() {
        return heard;
      },
      listening: () => true,
      changed: (signal, since) =>
        new Promise((done) => {
          if (signal.aborted || (since ?? heard) !== heard) return done();
          signal.addEventListener('abort', () => done(), { once: true });
          tell = () => {
            heard += 1;
            done();
          };
        }),
      close: () => undefined,
    };
    const listening = new BackedSessionHost({
      backend: new Proxy(link.backend, {
        get: (target, name: keyof SessionBackend) => (name === 'watch' ? () => watch : target[name]),
      }),
      computer: 'far',
      environment: () => ({}),
    });
    const { commandSeq } = await listening.run('s', 'exit 7');
    link.calls.length = 0;
    const waiting = listening.waitCommand('s', commandSeq, {});
    await eventually('it has ended', async () => (await host.state('s')).state === 'ended');
    const others = link.calls.length;
    await listening.read('s', 0, 1);
    expect(link.calls.slice(others)).toEqual(['read']);
    tell();
    expect(await waiting).toMatchObject({ exitCode: 7, timedOut: false, atPrompt: false });
    expect(link.calls.slice(others)).toEqual(['read', 'look']);
    // Somebody else's wait, and a second one, look at once.
    expect(await listening.waitCommand('s', commandSeq, {})).toMatchObject({ exitCode: 7 });
    await listening.dispose();
  });

  it('takes the same text for a new command from whoever is told what the look before it found', async () => {
    const { id } = await openSession(bench);
    link.losses.set('command', 'answer');
    await expect(host.run('s', 'echo more >> out')).rejects.toThrow(ComputerUnavailable);
    const other = new BackedSessionHost({ backend: link.backend, computer: 'far', environment: () => ({}) });
    await other.waitCommand('s', 1, { timeoutMs: factDeadlineMs });
    await other.dispose();
    const found: unknown[] = [];
    const { commandSeq } = await host.run('s', 'echo more >> out', (info) => found.push(info));
    expect(commandSeq).toBe(2);
    expect(found).toMatchObject([{ id, alive: true, commandSeq: 1 }]);
    expect(await host.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs })).toMatchObject({
      atPrompt: true,
    });
    expect((await runToEnd(computer, 'cat out')).text).toBe('more\nmore\n');
  });

  it('asks little: one look for a state, a look and a command for a run, nothing for what is stored and small', async () => {
    await openSession(bench);
    await untilState(computer, 'idle');
    const during = async (work: () => Promise<unknown>) => {
      link.calls.length = 0;
      await work();
      return link.calls.slice();
    };
    expect(await during(() => host.state('s'))).toEqual(['look']);
    expect(await during(() => host.find('s'))).toEqual(['look']);
    expect(await during(() => host.stored('s', 1000))).toEqual([]);
    expect(await during(() => host.run('s', 'sleep 300'))).toEqual(['look', 'command']);
    expect(await during(() => host.write('s', new Uint8Array(1)))).toEqual(['input']);
    expect(await during(() => host.read('s', 0, 10))).toEqual(['read']);
  });
});
