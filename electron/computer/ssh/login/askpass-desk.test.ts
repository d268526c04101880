import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../testing/deadline';
import { AskpassDesk, type RawQuestion } from './askpass-desk';

const program = resolve(import.meta.dirname, '../../../../resources/askpass/askpass');

describe('the program that ssh asks through', () => {
  const open: AskpassDesk[] = [];
  afterEach(async () => {
    for (const desk of open.splice(0)) await desk.close();
  });
  const openDesk = async (ask: (question: RawQuestion) => Promise<string | null>, parent?: string) => {
    const changed: string[] = [];
    const place = parent ?? (await mkdtemp(join(tmpdir(), 'ask-')));
    const desk = await AskpassDesk.open(program, ask, (file) => changed.push(file), place);
    open.push(desk);
    return { desk, changed };
  };
  /** As ssh runs it. */
  const run = (desk: AskpassDesk, prompt: string, more: Record<string, string> = {}) => {
    const { SSH_ASKPASS = '', ...environment } = desk.environment();
    const child = spawn(SSH_ASKPASS, [prompt], {
      env: { PATH: process.env.PATH, ...environment, WAYMARK_ASKPASS_HOP: '2', ...more },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (bytes) => {
      said += String(bytes);
    });
    return new Promise<{ code: number | null; said: string }>((done) => {
      child.once('close', (code) => done({ code, said }));
    });
  };

  it('hands over the question and brings back the answer, through no file', async () => {
    const asked: RawQuestion[] = [];
    const seen: string[] = [];
    const { desk } = await openDesk(async (question) => {
      asked.push(question);
      seen.push(...(await readdir(desk.folder)));
      return "s3cret 'with' \\odd$ signs ü";
    });
    expect((await stat(desk.folder)).mode & 0o777).toBe(0o700);
    const prompt = "first line\nme@box's password: ";
    expect(await run(desk, prompt, { SSH_ASKPASS_PROMPT: 'confirm' })).toEqual({
      code: 0,
      said: "s3cret 'with' \\odd$ signs ü\n",
    });
    expect(asked).toEqual([{ hop: 2, kind: 'confirm', prompt }]);
    expect(seen).toEqual([expect.stringMatching(/^\d+\.answer$/)]);
    expect(await readdir(desk.folder)).toEqual([]);
  });

  it('says no with its exit code, and keeps several questions apart', async () => {
    const { desk } = await openDesk(async ({ prompt }) => (prompt === 'no' ? null : `to ${prompt}`));
    const answers = await Promise.all(['a', 'no', 'b'].map((prompt) => run(desk, prompt)));
    expect(answers).toEqual([
      { code: 0, said: 'to a\n' },
      { code: 1, said: '' },
      { code: 0, said: 'to b\n' },
    ]);
  });

  it('ends when the one who should answer is gone', async () => {
    let lost = () => undefined as undefined;
    const { desk } = await openDesk(
      () =>
        new Promise((_answer, reject) => {
          lost = () => void reject(new Error('gone'));
        }),
    );
    const ended = run(desk, 'anybody there?');
    await eventually('it asks', async () =>
      (await readdir(desk.folder)).some((name) => name.endsWith('.answer')),
    );
    await eventually('somebody listens', () => {
      lost();
      return Promise.race([
        ended.then(() => true),
        new Promise<false>((later) => setTimeout(later, 20, false)),
      ]);
    });
    expect(await ended).toEqual({ code: 1, said: '' });
  });

  it('tells of other files, and takes along what killed processes left', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'waymark-runtime-'));
    const dead = spawn('true');
    await new Promise((done) => dead.once('close', done));
    try {
      const stale = await mkdtemp(join(parent, `waymark-ask-${dead.pid}-`));
      const living = await mkdtemp(join(parent, `waymark-ask-${process.pid}-`));
      const { desk, changed } = await openDesk(async () => null, parent);
      expect(dirname(desk.folder)).toBe(parent);
      expect([existsSync(stale), existsSync(living)]).toEqual([false, true]);
      await run(desk, 'x');
      const log = spawn('sh', ['-c', `echo line >> ${desk.folder}/hop-0.log`]);
      await new Promise((done) => log.once('close', done));
      await eventually('the log is told', () => changed.includes('hop-0.log'));
    } finally {
      await rm(parent, { recursive: true });
    }
  });

  it('opens no folder that somebody else could write into, and cleans up through no link', async () => {
    const base = await mkdtemp(join(tmpdir(), 'waymark-runtime-'));
    const home = join(base, 'home');
    await mkdir(home);
    await writeFile(join(home, 'thesis.txt'), '');
    const parent = join(base, 'ask');
    await symlink(home, parent);
    await expect(openDesk(async () => null, parent)).rejects.toMatchObject({ reason: 'unsupported' });
    await rm(parent);
    await mkdir(parent, { mode: 0o777 });
    await chmod(parent, 0o777);
    const dead = spawn('true');
    await new Promise((done) => dead.once('close', done));
    await mkdir(join(parent, `waymark-ask-${dead.pid}-x`));
    await symlink(home, join(parent, `waymark-ask-${dead.pid}-x`, 'inner'));
    const { desk } = await openDesk(async () => null, parent);
    expect((await stat(parent)).mode & 0o777).toBe(0o700);
    expect(await readdir(parent)).toEqual([basename(desk.folder)]);
    expect(await readdir(home)).toEqual(['thesis.txt']);
    if (process.getuid?.() === 0) {
      await chown(parent, 12_345, 12_345);
      await expect(openDesk(async () => null, parent)).rejects.toThrow(/another user/);
      await chown(parent, 0, 0);
    }
    await desk.close();
    await rm(base, { recursive: true });
  });

  it('is refused when it cannot be run', async () => {
    await expect(
      AskpassDesk.open(
        '/nowhere/askpass',
        async () => null,
        () => undefined,
        join(tmpdir(), 'ask-nowhere'),
      ),
    ).rejects.toMatchObject({
      reason: 'unsupported',
    });
  });
});
