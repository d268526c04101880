import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { computerConformance } from '../../testing/computer-conformance';
import {
  type ConformanceSetup,
  openSession,
  runToEnd,
  untilState,
  untilText,
  utf8,
} from '../../testing/conformance/session-driver';
import { eventually, factDeadlineMs } from '../../testing/deadline';
import { LocalComputer, type LocalComputerOptions } from './local-computer';
import { LocalSessionBackend } from './local-session-backend';

const resourcesDir = resolve(import.meta.dirname, '../../../resources');

interface LocalSetup extends ConformanceSetup {
  computer: LocalComputer;
  sessionsDir: string;
}

async function localSetup(more: Partial<LocalComputerOptions>): Promise<LocalSetup> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'waymark-local-')));
  const workdir = join(root, 'work');
  const sessionsDir = join(root, 'sessions');
  const options = {
    sessionsDir,
    resourcesDir,
    environment: { ...process.env, PATH: systemPath, PLANTED_SECRET: 'PLANTED', OPENAI_API_KEY: 'PLANTED' },
    ...more,
  };
  const computer = new LocalComputer(options);
  await computer.files.makeDirectory(workdir);
  return {
    computer,
    workdir,
    sessionsDir,
    again: async () => new LocalComputer(options),
    shell: async (script) => (await promisify(execFile)('bash', ['-c', script])).stdout,
    dispose: () => rm(root, { recursive: true, force: true }),
  };
}

/** Version managers' shims start slowly, and every session starts one. */
const systemPath = (process.env.PATH ?? '')
  .split(':')
  .filter((part) => !part.endsWith('shims'))
  .join(':');

computerConformance('local computer', (limits) => localSetup({ supervisors: ['perl'], limits }));
computerConformance('local computer with the python supervisor', (limits) =>
  localSetup({ supervisors: ['python3'], limits }),
);

describe('local computer, itself', () => {
  const open: LocalSetup[] = [];
  const make = async (more: Partial<LocalComputerOptions> = {}) => {
    const setup = await localSetup(more);
    open.push(setup);
    return { ...setup, setup, bench: { computer: setup.computer, workdir: setup.workdir, setup } };
  };
  afterEach(async () => {
    for (const { computer, dispose } of open.splice(0)) {
      for (const { name } of await computer.sessions.list()) await computer.sessions.close(name);
      await computer.dispose();
      await dispose();
    }
  });

  it('tells what it is', async () => {
    const { computer } = await make();
    expect(await computer.probe()).toMatchObject({
      supervisor: 'perl',
      clockOffsetMs: 0,
      platform: process.platform,
    });
  });

  it('falls back to python3 without perl, and says what is missing without both', async () => {
    const { setup, bench, workdir } = await make();
    const bin = join(workdir, 'bin');
    await mkdir(bin);
    const none = await make({ environment: { ...process.env, PATH: bin } });
    await expect(openSession(none.bench)).rejects.toMatchObject({ reason: 'supervisor_missing' });
    const python = (await setup.shell(`PATH='${systemPath}' command -v python3`)).trim();
    await symlink(python, join(bin, 'python3'));
    await openSession(none.bench);
    expect((await runToEnd(none.computer, 'echo works')).text).toBe('works\n');
    await openSession(bench);
  });

  it("lives with a user's start file", async () => {
    const home = await mkdtemp(join(tmpdir(), 'waymark-home-'));
    await writeFile(
      join(home, '.bashrc'),
      `export FROM_RC=1\nPROMPT_COMMAND="seen=1;"\nalias greet='echo hello'\nPS0=x\nPS1='odd> '\nset -o vi\nHISTFILE=~/history\n`,
    );
    const { bench, computer } = await make({ environment: { ...process.env, HOME: home } });
    await openSession(bench, 's', { profile: true });
    expect((await runToEnd(computer, 'echo $FROM_RC')).text).toBe('1\n');
    expect((await runToEnd(computer, 'greet; echo $seen')).text).toBe('hello\n1\n');
    await openSession(bench, 'clean', { profile: false });
    expect((await runToEnd(computer, 'echo "[$FROM_RC]"', 'clean')).text).toBe('[]\n');
    await rm(home, { recursive: true });
  });

  it.each([
    'perl',
    'python3',
  ] as const)('holds the writer while the disk is full and loses nothing (%s)', async (kind) => {
    const { bench, computer, setup } = await make({ supervisors: [kind] });
    await openSession(bench);
    const pid = (await runToEnd(computer, 'ps -o ppid= -p $$')).text.trim();
    // A limit on the supervisor's files stands for the full disk: the write fails in the same way, without being root.
    await setup.shell(`prlimit --pid ${pid} --fsize=65536:`);
    const { commandSeq } = await computer.sessions.run('s', 'seq 1 100000');
    await eventually(
      'the state says that the disk is full',
      async () => (await computer.sessions.state('s')).diskFull,
    );
    const held = await computer.sessions.state('s');
    expect(held).toMatchObject({ state: 'busy', endOffset: 65536 });
    await setup.shell(`prlimit --pid ${pid} --fsize=unlimited:`);
    const outcome = await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    const { bytes } = await computer.sessions.read(
      's',
      outcome.startOffset,
      outcome.endOffset - outcome.startOffset,
    );
    const numbers = Array.from({ length: 100_000 }, (_, i) => `${i + 1}\r\n`).join('');
    expect(new TextDecoder().decode(bytes) === numbers).toBe(true);
    expect((await computer.sessions.state('s')).diskFull).toBe(false);
  });

  it('clears what a crash left of a session that was being made', async () => {
    const { bench, sessionsDir } = await make();
    await mkdir(join(sessionsDir, 's'), { recursive: true });
    await expect(openSession(bench)).rejects.toMatchObject({ reason: 'session_exists' });
    await utimes(join(sessionsDir, 's'), 1000, 1000);
    await openSession(bench);
  });

  it('delivers input whose writer died before ringing, and gives up a command that never began', async () => {
    const { bench, computer, sessionsDir } = await make();
    await openSession(bench);
    await writeFile(join(sessionsDir, 's', 'inbox', '0000000000000001'), 'echo typed\n');
    await untilText(computer, 'typed\n');
    await untilState(computer, 'idle');
    const file = join(sessionsDir, 's', 'cmd', '1');
    await writeFile(file, 'true');
    expect((await computer.sessions.state('s')).state).toBe('busy');
    await utimes(file, 1000, 1000);
    expect((await computer.sessions.state('s')).state).toBe('idle');
    expect(await computer.sessions.waitCommand('s', 1, {})).toMatchObject({
      exitCode: null,
      timedOut: false,
    });
    expect(await runToEnd(computer, 'echo next')).toMatchObject({ text: 'next\n', commandSeq: 2 });
  });

  it('leaves alone what a number means that went to another process', async () => {
    const { bench, computer, sessionsDir } = await make();
    await openSession(bench);
    await runToEnd(computer, 'sleep 321 & env -i sleep 322 &');
    const backend = new LocalSessionBackend({ sessionsDir, resourcesDir, supervisors: ['perl'] });
    const identity = await backend.identify(join(sessionsDir, 's'));
    if (!identity) throw new Error('There is no session.');
    // Without the variables that name the session it is found by its shell; until it is what it becomes it is called `env -i …`.
    await eventually('both run, and nothing else is found', async () => {
      const own = (await backend.started(identity.meta)).map(({ command }) => command);
      return own.sort().join() === 'sleep 321,sleep 322';
    });
    const other = { ...identity.meta, shellStart: '1', id: 'none' };
    expect(await backend.started(other)).toEqual([]);
    expect((await backend.holders({ ...other, supervisorStart: '1' })).supervisor).toBe(false);
    const earlier = { ...identity.meta, boot: 'another' };
    expect(await backend.started(earlier)).toEqual([]);
    expect(await backend.holders(earlier)).toEqual({ shell: undefined, supervisor: false });
  });

  it.each([
    'perl',
    'python3',
  ] as const)('closing a copied session with %s leaves the one it was copied from alone; one that was only renamed is the same', async (supervisor) => {
    const { bench, computer, sessionsDir, setup } = await make({ supervisors: [supervisor] });
    await openSession(bench);
    await runToEnd(computer, 'sleep 323 & disown');
    const copied = join(sessionsDir, '..', 'copied');
    await setup.shell(`cp -a ${sessionsDir} ${copied}`);
    const copy = new LocalComputer({ sessionsDir: copied, resourcesDir, supervisors: [supervisor] });
    const backend = new LocalSessionBackend({ sessionsDir: copied, resourcesDir, supervisors: [supervisor] });
    const identity = await backend.identify(join(copied, 's'));
    if (!identity) throw new Error('There is no copy.');
    expect(await backend.started(identity.meta)).toEqual([]);
    expect(await backend.holders(identity.meta)).toEqual({ shell: undefined, supervisor: false });
    expect((await copy.sessions.state('s')).state).toBe('lost');
    await copy.sessions.close('s');
    expect((await runToEnd(computer, 'pgrep -f "sleep 323" | wc -l; echo there')).text).toContain('there');
    const renamed = join(sessionsDir, '..', 'renamed');
    await setup.shell(`mv ${sessionsDir} ${renamed}`);
    const moved = new LocalComputer({ sessionsDir: renamed, resourcesDir, supervisors: [supervisor] });
    expect((await moved.sessions.state('s')).state).toBe('idle');
    await setup.shell(`mv ${renamed} ${sessionsDir}`);
  });

  it('says that a session is lost because the computer restarted, and closes it without touching anybody', async () => {
    const { bench, computer, sessionsDir, setup } = await make();
    await openSession(bench);
    const supervisor = (await runToEnd(computer, 'echo $PPID')).text.trim();
    await setup.shell(`kill -9 ${supervisor}`);
    await untilState(computer, 'lost');
    const meta = join(sessionsDir, 's', 'meta');
    // What a restart leaves: the numbers of that time, one of which another process has now.
    const told = (await readFile(meta, 'utf8'))
      .replace(/^boot=.*$/m, 'boot=another')
      .replace(/^shell=.*$/m, `shell=${process.pid}`);
    await writeFile(meta, told);
    const again = await setup.again();
    expect(await again.sessions.state('s')).toMatchObject({
      state: 'lost',
      reason: expect.stringContaining('restarted'),
    });
    const bystander = execFile('sleep', ['323']);
    expect(await again.sessions.signal('s', 'KILL')).toEqual({ signalled: [], remaining: [] });
    expect(await again.sessions.close('s')).toMatchObject({ exitCode: null });
    expect(bystander.exitCode).toBeNull();
    expect(bystander.signalCode).toBeNull();
    bystander.kill('SIGKILL');
    await again.dispose();
  });

  it('knows a typed line from a command', async () => {
    const { bench, computer } = await make();
    await openSession(bench);
    await computer.sessions.write('s', utf8('sleep 300\n'));
    const state = await eventually('it runs', async () => {
      const seen = await computer.sessions.state('s');
      return seen.state === 'busy' && seen.foreground.length > 0 && seen;
    });
    expect(state.command?.commandSeq).toBeUndefined();
    expect(state.command?.startedAt).toBeGreaterThan(0);
    await computer.sessions.signal('s', 'KILL');
    await untilState(computer, 'idle');
    expect(await computer.sessions.commands('s')).toEqual([]);
  });
});
