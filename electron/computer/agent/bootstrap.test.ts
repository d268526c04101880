import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Duplex, PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProgram } from '../../testing/agent-program-client';
import { type AgentSources, bootstrapCommand, helperKinds, readAgentSources, startAgent } from './bootstrap';

const nonce = 'abcdef0123456789';
const installed = (program: string) => {
  try {
    return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
};

let sources: AgentSources;
let directory: string;
beforeAll(async () => {
  sources = await readAgentSources(resolve(import.meta.dirname, '../../../resources'));
  directory = await mkdtemp(join(tmpdir(), 'waymark-boot-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the command', () => {
  it('is made of pieces that every login shell reads alike', () => {
    for (const helpers of [undefined, ['perl'], ['python3'], ['python3', 'perl']] as const) {
      expect(bootstrapCommand(nonce, helpers)).toMatch(
        /^sh -c '[^'\\!\n]+' [a-z0-9]+ '[^'\\!\n]+' '[^'\\!\n]+'$/,
      );
    }
    // Old csh knows no longer word.
    expect(
      Math.max(
        ...bootstrapCommand(nonce)
          .split("'")
          .map((piece) => piece.length),
      ),
    ).toBeLessThan(1024);
    for (const bad of ['', 'short', "a'b'c'd'e", 'with space']) {
      expect(() => bootstrapCommand(bad)).toThrow(RangeError);
    }
  });

  const shells = [
    'sh -c',
    'dash -c',
    'bash -c',
    'bash -lc',
    'zsh -c',
    'csh -c',
    'tcsh -c',
    'fish -c',
    'busybox sh -c',
  ];
  for (const shell of shells) {
    const [program = '', ...args] = shell.split(' ');
    // sh, bash and mostly dash are everywhere; the others are tried where they are installed.
    it.skipIf(installed(program) === '').each(helperKinds)(`starts through ${shell}: %s`, async (helper) => {
      const agent = await AgentProgram.start({
        sources,
        helper,
        shell: [program, ...args],
        env: { PATH: process.env.PATH, HOME: directory },
      });
      expect((await agent.ask('ping')).ok).toBe(true);
      expect(agent.path).toMatch(new RegExp(`^/.*${helper}$`));
      expect(await agent.end()).toBe(0);
    });
  }

  it('starts fast', async () => {
    const env = { PATH: process.env.PATH, HOME: directory };
    const times = [];
    for (let i = 0; i < 5; i += 1) {
      const began = performance.now();
      const agent = await AgentProgram.start({ sources, helper: 'perl', env });
      await agent.ask('ping');
      times.push(performance.now() - began);
      await agent.end();
    }
    // Some 60 ms on an idle machine.
    expect(Math.min(...times)).toBeLessThan(1000);
  });

  it('takes no orders from variables meant for other programs', async () => {
    const env = {
      PATH: process.env.PATH,
      HOME: directory,
      PERL_UNICODE: 'SDA',
      PYTHONSTARTUP: '/nowhere',
      PYTHONHOME: '/nowhere',
    };
    for (const helper of helperKinds) {
      const agent = await AgentProgram.start({ sources, helper, env });
      const path = `${directory}/\xff\xfe`;
      await agent.must('f.write', [path, '', 'any', 0], Uint8Array.of(0xff, 0, 0xc3));
      expect([...(await agent.must('f.read', [path, 10])).body]).toEqual([0xff, 0, 0xc3]);
      await agent.end();
    }
  });
});

/** Not what is found first: that may be a script which needs more than we leave it. */
const executables: Partial<Record<string, string>> = {
  perl: installed('perl'),
  python3: execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim(),
};

/** Runs the command with only these programs to be found. */
async function withPrograms(name: string, programs: Record<string, string | undefined>) {
  const bin = join(directory, name);
  await mkdir(bin);
  await symlink(installed('sh'), join(bin, 'sh'));
  for (const [program, script] of Object.entries(programs)) {
    if (script === undefined) await symlink(executables[program] ?? '', join(bin, program));
    else await writeFile(join(bin, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const child = spawn(installed('sh'), ['-c', bootstrapCommand(nonce)], {
    env: { PATH: bin },
    stdio: 'pipe',
  });
  const stream = Duplex.from({ writable: child.stdin, readable: child.stdout });
  stream.on('error', () => undefined);
  try {
    return await startAgent(stream, { nonce, sources, signal: AbortSignal.timeout(20_000) });
  } finally {
    child.stdin.end();
  }
}

describe('the helper', () => {
  it('is the first that can load what it needs', async () => {
    expect(await withPrograms('both', { perl: undefined, python3: undefined })).toMatchObject({
      helper: 'perl',
    });
    expect(await withPrograms('no-perl', { python3: undefined })).toMatchObject({ helper: 'python3' });
    const bare = { perl: 'echo noise; exit 2', python3: undefined };
    expect(await withPrograms('bare-perl', bare)).toMatchObject({ helper: 'python3' });
  });

  it('is missing by name', async () => {
    await expect(withPrograms('none', {})).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('perl is not installed, and python3 is not installed. Install perl'),
    });
    await expect(withPrograms('unfit', { perl: 'exit 2', python3: 'exit 1' })).rejects.toThrow(
      'its perl lacks standard modules, and its python3 is older than 3.6 or incomplete',
    );
  });
});

function standIn() {
  const toHost = new PassThrough();
  const fromHost = new PassThrough();
  const stream = Duplex.from({ writable: toHost, readable: fromHost });
  stream.on('error', () => undefined);
  return { stream, toHost, fromHost };
}

describe('what a login shell prints before', () => {
  const start = (stream: Duplex, signal = AbortSignal.timeout(20_000)) =>
    startAgent(stream, { nonce, sources, signal });

  it('is passed over, whatever it is, and nothing after it is lost', async () => {
    const { stream, toHost, fromHost } = standIn();
    const started = start(stream);
    fromHost.write(`Welcome!\r\nWAYMARK-BOOT 0000000000 perl /no\n${bootstrapCommand(nonce)}\n`);
    fromHost.write(
      Buffer.concat([Buffer.alloc(40_000, 0xff), Buffer.from(`prompt> WAYMARK-BOOT ${nonce} perl /no`)]),
    );
    fromHost.write('\n\nWAYMARK-BOOT ');
    fromHost.write(`${nonce} python3 /opt/a b/python3\n4 0\n= 1`);
    expect(await started).toEqual({ helper: 'python3', path: '/opt/a b/python3' });
    const source = sources.python3;
    const sent: Buffer[] = [];
    toHost.on('data', (piece: Buffer) => sent.push(piece));
    const received: Buffer[] = [];
    stream.on('data', (piece: Buffer) => received.push(piece));
    fromHost.end('2');
    await new Promise((done) => stream.on('end', done));
    expect(Buffer.concat(received).toString()).toBe('4 0\n= 12');
    expect(Buffer.concat(sent).equals(Buffer.concat([Buffer.from(`${source.length}\n`), source]))).toBe(true);
  });

  it('is shown when it is all there is', async () => {
    const talker = standIn();
    const talking = start(talker.stream);
    talker.fromHost.write(`\n\x1b[1mOnly for \x07owls\x1b[0m\n${'y\n'.repeat(40_000)}`);
    await expect(talking).rejects.toThrow(
      /printed more than 64 KB instead. It said: "\[1mOnly for owls\[0m"/,
    );
    const other = standIn();
    const ending = start(other.stream);
    other.fromHost.end('This account is currently not available.\n');
    await expect(ending).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(
        'ended before that. It said: "This account is currently not available."',
      ),
    });
  });

  it('is not waited for longer than asked, nor after the connection failed', async () => {
    const stop = new AbortController();
    const waiting = start(standIn().stream, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(start(standIn().stream, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    const broken = standIn();
    const failing = start(broken.stream);
    broken.stream.destroy(new Error('reset'));
    await expect(failing).rejects.toThrow('reset');
  });
});
