import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentSetup, agentSetup } from '../../testing/agent-host/agent-setup';
import { computerConformance } from '../../testing/computer-conformance';
import { openSession, runToEnd, untilState, untilText, utf8 } from '../../testing/conformance/session-driver';
import { eventually, factDeadlineMs } from '../../testing/deadline';
import { FileError } from '../failures';
import { LocalFiles } from '../local/local-files';
import type { FileSystemPort } from '../port';
import type { SshComputer } from './ssh-computer';

computerConformance('host agent (perl)', (limits) => agentSetup('perl', { limits }));
computerConformance('host agent (python3)', (limits) => agentSetup('python3', { limits }));

const never = new AbortController().signal;

describe.each(['perl', 'python3'] as const)('a computer over one channel (%s)', (helper) => {
  const open: AgentSetup[] = [];
  const computers: SshComputer[] = [];

  async function make(environment: Record<string, string> = {}) {
    const setup = await agentSetup(helper, { environment });
    open.push(setup);
    computers.push(setup.computer);
    return { ...setup, setup, bench: { computer: setup.computer, workdir: setup.workdir, setup } };
  }

  afterEach(async () => {
    for (const computer of computers.splice(0)) {
      for (const { name } of await computer.sessions.list()) await computer.sessions.close(name);
      await computer.dispose();
    }
    for (const { dispose } of open.splice(0)) await dispose();
  });

  it('tells what the host is, and how its clock goes', async () => {
    const { computer, setup } = await make();
    const facts = await computer.probe();
    expect(facts).toMatchObject({
      platform: 'linux',
      hostname: (await setup.shell('uname -n')).trim(),
      user: (await setup.shell('id -un')).trim(),
      supervisor: helper,
      boot: (await setup.shell('cat /proc/sys/kernel/random/boot_id')).trim(),
    });
    expect(facts.sessionsDir).toBe(join(setup.transport.stateHome, 'waymark', 'sessions', 'run-1'));
    expect(facts.homeDir.startsWith(setup.workdir.replace(/work$/, ''))).toBe(true);
    expect(facts.cpus).toBe(Number(await setup.shell('nproc --all')));
    expect(facts.memoryBytes).toBeGreaterThan(1e8);
    expect(facts.bashVersion).toBe(await setup.shell('printf %s "$BASH_VERSION"'));
    // Host and client are the same machine here.
    expect(Math.abs(facts.clockOffsetMs)).toBeLessThan(100);
    expect(computer.health().state).toBe('good');
  });

  it('runs scripts outside sessions', async () => {
    const { computer, workdir, transport } = await make({ FROM_LOGIN: 'yes', SSH_AUTH_SOCK: '/secret' });
    const exec = (
      script: string,
      options: { cwd?: string; env?: Record<string, string>; timeoutMs?: number } = {},
    ) => computer.exec(script, { timeoutMs: factDeadlineMs, ...options });
    expect(await exec('echo out; echo err >&2; exit 3')).toEqual({ exitCode: 3, output: 'out\nerr\n' });
    expect(
      await exec('echo "$A|$FROM_LOGIN|$SSH_AUTH_SOCK|$PWD"', { cwd: workdir, env: { A: 'a b\t=c' } }),
    ).toEqual({
      exitCode: 0,
      output: `a b\t=c|yes||${workdir}\n`,
    });
    expect((await exec('pwd')).output).toBe(`${transport.stateHome.replace('/.local/state', '')}\n`);
    expect(await exec('echo begun; sleep 300', { timeoutMs: 300 })).toEqual({
      exitCode: null,
      output: 'begun\n',
    });
    expect((await exec('kill -9 $$')).exitCode).toBe(137);
    expect((await exec('head -c 3000000 /dev/zero | tr "\\0" x')).output.length).toBeLessThanOrEqual(
      1024 * 1024,
    );
    await expect(exec('true', { cwd: '/not there' })).rejects.toMatchObject({ code: 'not_found' });
    const many = await Promise.all(
      Array.from({ length: 30 }, (_, i) => exec(`sleep 0.0${i % 10}; echo ${i}`)),
    );
    expect(many.map(({ output }) => output)).toEqual(Array.from({ length: 30 }, (_, i) => `${i}\n`));
  });

  it('keeps the sessions of different runs apart', async () => {
    const { computer, computerLike, bench, workdir, setup } = await make();
    const other = computerLike({ namespace: 'own', name: 'same host' });
    computers.push(other);
    await openSession(bench);
    expect(await other.sessions.list()).toEqual([]);
    await openSession({ computer: other, workdir, setup });
    await runToEnd(computer, 'here=run');
    await runToEnd(other, 'here=own');
    expect((await runToEnd(computer, 'echo $here')).text).toBe('run\n');
    expect((await runToEnd(other, 'echo $here')).text).toBe('own\n');
    await expect(other.sessions.state('none')).rejects.toThrow('same host');
    for (const namespace of ['', '..', 'a/b', '.hidden']) {
      expect(() => computerLike({ namespace })).toThrow(RangeError);
    }
  });

  it('puts its programs on the host once, readable by nobody else', async () => {
    const { bench, link, setup } = await make();
    await openSession(bench);
    await openSession(bench, 'second');
    const base = link.facts()?.base ?? '';
    const resources = (await readdir(base)).filter((name) => name.startsWith('.resource-'));
    expect(resources).toHaveLength(3);
    expect(await setup.shell(`cd '${base}' && stat -c %a . .resource-* run-1 run-1/s | sort -u`)).toBe(
      '600\n700\n',
    );
  });

  it('takes input and commands that are longer than a frame', async () => {
    const { computer, bench, workdir } = await make();
    await openSession(bench);
    const lines = `${'y'.repeat(99)}\n`.repeat(25_000);
    const { commandSeq } = await computer.sessions.run('s', 'stty -echo; cat > pasted; stty echo');
    await untilState(computer, 'waiting');
    await computer.sessions.write('s', utf8(lines));
    await computer.sessions.write('s', utf8('\x04'));
    await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    expect((await readFile(join(workdir, 'pasted'), 'utf8')) === lines).toBe(true);
    const text = '0123456789'.repeat(200_000);
    await runToEnd(computer, `cat > long <<'EOF'\n${text}\nEOF`);
    expect((await readFile(join(workdir, 'long'), 'utf8')) === `${text}\n`).toBe(true);
  });

  it('moves files of many megabytes whole, and keeps answering meanwhile', async () => {
    const { computer, workdir, link } = await make();
    const bytes = randomBytes(24_000_000);
    const path = join(workdir, 'large');
    const moving = (async () => {
      const { sha256 } = await computer.files.write(path, bytes, { mode: 0o640 });
      const content = await computer.files.read(path, { maxBytes: 100_000_000 });
      return { sha256, content };
    })();
    let pings = 0;
    let slowest = 0;
    let over = false;
    moving.finally(() => {
      over = true;
    });
    while (!over) {
      slowest = Math.max(slowest, (await link.client().ping()).roundTripMs);
      pings += 1;
    }
    const { sha256, content } = await moving;
    expect(content).toMatchObject({ sha256, size: bytes.length, mode: 0o640 });
    expect(Buffer.compare(content.bytes, bytes)).toBe(0);
    expect(pings).toBeGreaterThan(3);
    expect(slowest).toBeLessThan(2000);
    expect(await computer.files.hash(path)).toBe(sha256);
    await expect(computer.files.read(path, { maxBytes: 1_000_000 })).rejects.toMatchObject({
      reason: 'too_large',
      message: expect.stringContaining('24000000 bytes'),
    });
    expect(await readdir(workdir)).toEqual(['large']);
  });

  it('answers hundreds of requests at once', async () => {
    const { computer, workdir } = await make();
    const paths = Array.from({ length: 300 }, (_, i) => join(workdir, `f${i}`));
    await Promise.all(paths.map((path, i) => computer.files.write(path, utf8(`content ${i}`))));
    const contents = await Promise.all(paths.map((path) => computer.files.read(path, { maxBytes: 100 })));
    expect(contents.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(
      paths.map((_, i) => `content ${i}`),
    );
  });

  it('says what is wrong with a path in the words of this computer', async () => {
    const { computer, workdir, setup } = await make();
    await setup.shell(
      `cd '${workdir}' && mkdir -p d/sub && echo x > d/f && mkfifo pipe && ln -s loop loop && ln -s gone dangling`,
    );
    const at = (name: string) => join(workdir, name);
    const wrong: Record<string, (files: FileSystemPort) => Promise<unknown>> = {
      'read none': (files) => files.read(at('none'), { maxBytes: 9 }),
      'read a directory': (files) => files.read(at('d'), { maxBytes: 9 }),
      'read a pipe': (files) => files.readRange(at('pipe'), 0, 1),
      'read below a file': (files) => files.read(at('d/f/g'), { maxBytes: 9 }),
      'read in a circle': (files) => files.read(at('loop'), { maxBytes: 9 }),
      'read too much': (files) => files.read(at('d/f'), { maxBytes: 1 }),
      'read what is named too long': (files) => files.read(at('x'.repeat(300)), { maxBytes: 9 }),
      'read a path without end': (files) => files.read(at('x/'.repeat(50_000)), { maxBytes: 9 }),
      'read relative': (files) => files.read('d/f', { maxBytes: 9 }),
      'write into nothing': (files) => files.write(at('none/f'), utf8('x')),
      'write to a directory': (files) => files.write(at('d'), utf8('x')),
      'write to a pipe': (files) => files.write(at('pipe'), utf8('x')),
      'write a file as a directory': (files) => files.write(at('d/f/g'), utf8('x'), { mkdirs: true }),
      'write what is there': (files) => files.write(at('d/f'), utf8('x'), { expectSha256: null }),
      'write what changed': (files) => files.write(at('d/f'), utf8('x'), { expectSha256: 'a'.repeat(64) }),
      'write what is gone': (files) => files.write(at('none'), utf8('x'), { expectSha256: 'a'.repeat(64) }),
      'list none': (files) => files.list(at('none'), { hidden: true }),
      'list a file': (files) => files.list(at('d/f'), { hidden: true }),
      'walk none': (files) => files.walk(at('none'), { hidden: true, maxEntries: 9 }),
      'resolve none': (files) => files.realpath(at('none')),
      'resolve dangling': (files) => files.realpath(at('dangling')),
      'resolve a circle': (files) => files.realpath(at('loop')),
      'make over a file': (files) => files.makeDirectory(at('d/f')),
      'make below a file': (files) => files.makeDirectory(at('d/f/g')),
      'remove none': (files) => files.remove(at('none')),
      'remove none whole': (files) => files.remove(at('none'), { recursive: true }),
      'remove what is full': (files) => files.remove(at('d')),
      'hash a directory': (files) => files.hash(at('d')),
      'hash none': (files) => files.hash(at('none')),
    };
    const said = async (files: FileSystemPort) => {
      const words: Record<string, unknown> = {};
      for (const [name, attempt] of Object.entries(wrong)) {
        const error = await attempt(files).then(
          () => new Error('It went well.'),
          (thrown: unknown) => thrown,
        );
        words[name] =
          error instanceof FileError ? { reason: error.reason, message: error.message } : String(error);
      }
      return words;
    };
    const words = await said(new LocalFiles());
    expect(Object.keys(words).filter((name) => typeof words[name] === 'string')).toEqual([]);
    expect(await said(computer.files)).toEqual(words);
  });

  it('stops a search that is called off', async () => {
    const { computer, link } = await make();
    const stop = new AbortController();
    const walking = computer.files.walk('/', { hidden: true, maxEntries: 5_000_000, signal: stop.signal });
    await link.client().ping();
    stop.abort(new Error('enough'));
    await expect(walking).rejects.toThrow('enough');
    expect((await computer.files.walk('/etc', { hidden: true, maxEntries: 3 })).entries).toHaveLength(3);
  });

  it('lets a consumer that takes nothing hold up only itself', async () => {
    const { computer, bench, transport } = await make();
    await openSession(bench, 'flood');
    await openSession(bench, 'calm');
    const stop = new AbortController();
    let taken = 0;
    const stuck = computer.sessions.follow(
      'flood',
      0,
      ({ bytes }) => {
        taken += bytes.length;
        return new Promise<void>((resolve) => {
          stop.signal.addEventListener('abort', () => resolve());
        });
      },
      stop.signal,
    );
    let calm = '';
    const following = computer.sessions.follow(
      'calm',
      0,
      ({ bytes }) => {
        calm += Buffer.from(bytes).toString();
      },
      stop.signal,
    );
    const { commandSeq } = await computer.sessions.run('flood', 'head -c 20000000 /dev/zero | tr "\\0" x');
    // The job is not held up either.
    await computer.sessions.waitCommand('flood', commandSeq, { timeoutMs: factDeadlineMs });
    expect((await computer.sessions.find('flood'))?.endOffset).toBeGreaterThan(20_000_000);
    expect((await runToEnd(computer, 'echo still quick', 'calm')).text).toBe('still quick\n');
    await eventually('the other one saw it', () => calm.includes('still quick\r\n'));
    expect(taken).toBeLessThanOrEqual(64 * 1024);
    expect(transport.received).toBeLessThan(3_000_000);
    stop.abort();
    expect((await stuck).reason).toBe('aborted');
    await following;
  });

  it('tells of bytes that were dropped on the host, and of where they end', async () => {
    const { computerLike, workdir, setup } = await make();
    const computer = computerLike({ namespace: 'small', limits: { keptBytes: 65_536 } });
    computers.push(computer);
    await openSession({ computer, workdir, setup });
    await runToEnd(computer, 'head -c 1000000 /dev/zero | tr "\\0" x');
    const { endOffset } = await eventually('it is all there', () => computer.sessions.find('s'));
    await computer.sessions.stored('s', endOffset);
    const { droppedTo } = await eventually('space was given back', async () => {
      const info = await computer.sessions.find('s');
      return info && info.droppedTo > 0 && info;
    });
    expect(droppedTo).toBeLessThanOrEqual(endOffset - 65_536);
    await expect(computer.sessions.read('s', 0, 100)).rejects.toMatchObject({ reason: 'dropped' });
    expect((await computer.sessions.read('s', droppedTo, 100)).bytes).toHaveLength(100);
    const told: unknown[] = [];
    const stop = new AbortController();
    const end = await computer.sessions.follow(
      's',
      10,
      ({ offset }) => {
        told.push(offset);
        stop.abort();
      },
      stop.signal,
      (gap) => {
        told.push(gap);
      },
    );
    expect(told).toEqual([{ from: 10, to: droppedTo }, droppedTo]);
    expect(end.reason).toBe('aborted');
  });

  it('wakes those who wait for a command at once, not at the next look', async () => {
    const { computer, bench, workdir } = await make();
    await openSession(bench);
    const { commandSeq } = await computer.sessions.run('s', 'until [ -e go ]; do sleep 0.01; done');
    const waiting = computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    // So long that the looks behind the host's word are seldom.
    await untilText(computer, 'until');
    for (let look = 0; look < 3; look += 1) {
      expect(await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: 400 })).toMatchObject({
        timedOut: true,
      });
    }
    const started = performance.now();
    await computer.files.write(join(workdir, 'go'), utf8(''));
    const { endedAt } = await waiting;
    expect(endedAt).toBeGreaterThan(0);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('lets go of its link when it is disposed, once', async () => {
    const { computerLike } = await make();
    let released = 0;
    const computer = computerLike({
      released: () => {
        released += 1;
      },
    });
    await computer.linked(never);
    await computer.dispose();
    await computer.dispose();
    expect(released).toBe(1);
  });
});
