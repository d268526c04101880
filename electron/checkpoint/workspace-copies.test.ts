import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { LocalComputer } from '../computer/local/local-computer';
import type { Computer } from '../computer/port';
import { resourcesDir } from '../testing/agent-host/agent-setup';
import { agentHosts } from '../testing/agent-hosts';
import { eventually } from '../testing/deadline';
import { smallDisk, takeAllFiles } from '../testing/small-disk';
import { noteSentence } from './copy-answer';
import { type CopyHelper, readCopySources } from './copy-program';
import { excludedExpression } from './excluded-paths';
import { WorkspaceCopies } from './workspace-copies';

const never = new AbortController().signal;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const kinds: { helper: CopyHelper; where: 'local' | 'host' }[] = [
  { helper: 'perl', where: 'local' },
  { helper: 'python3', where: 'local' },
  { helper: 'perl', where: 'host' },
  { helper: 'python3', where: 'host' },
];
const id = (number: number) => `01CHECKP01NT${String(number).padStart(14, '0')}`;

interface Stand {
  folder: string;
  root: string;
  copies: WorkspaceCopies;
  /** Makes checkpoint `number`, sharing with the one before it. */
  make(number: number, exclude?: string): ReturnType<WorkspaceCopies['copy']>;
  filesOf(number: number): string;
  base: string;
}

async function stand({ helper, where }: (typeof kinds)[number]): Promise<Stand> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'waymark-copies-')));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const root = join(folder, 'work space');
  await mkdir(root);
  let computer: Computer;
  let base = join(folder, 'checkpoints', 'run');
  if (where === 'local') {
    computer = new LocalComputer({ resourcesDir, sessionsDir: join(folder, 'sessions') });
  } else {
    const hosts = await agentHosts({ root: join(folder, 'hosts'), aliases: ['box'] });
    closing.push(() => hosts.dispose());
    const host = hosts.hosts.computer({ name: 'box', alias: 'box', transport: 'ssh2', namespace: 'run' });
    await host.linked(never);
    const state = (await host.exec('echo "$XDG_STATE_HOME|$HOME"', { timeoutMs: 10_000 })).output.trim();
    const [given = '', home = ''] = state.split('|');
    base = join(given.startsWith('/') ? given : join(home, '.local/state'), 'waymark/checkpoints/run');
    computer = host;
  }
  closing.push(() => computer.dispose());
  const sources = await readCopySources(resourcesDir);
  const copies = new WorkspaceCopies({
    computer,
    run: 'run',
    localBase: base,
    sources,
    helpers: [helper],
  });
  return {
    folder,
    root,
    copies,
    base,
    filesOf: (number) => join(base, id(number), 'files'),
    make: (number, exclude = '') =>
      copies.copy(
        {
          root,
          id: id(number),
          previous: number > 1 ? id(number - 1) : '',
          exclude,
          keep: Array.from({ length: number - 1 }, (_, each) => id(each + 1)),
        },
        never,
      ),
  };
}

/** What lies below a folder: kind, mode, time, content; names as bytes. */
async function tree(root: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const walk = async (folder: Buffer, below: Buffer): Promise<void> => {
    for (const name of (await readdir(folder, { encoding: 'buffer' })).sort(Buffer.compare)) {
      const path = Buffer.concat([folder, Buffer.from('/'), name]);
      const inner = Buffer.concat([below, Buffer.from('/'), name]);
      const is = await lstat(path);
      const mode = (is.mode & 0o7777).toString(8);
      const key = inner.toString('latin1');
      if (is.isDirectory()) {
        found.set(key, `directory ${mode}`);
        await walk(path, inner);
      } else if (is.isSymbolicLink()) found.set(key, `link ${await readlink(path)}`);
      else {
        const content = (await readFile(path)).toString('base64');
        found.set(key, `file ${mode} ${Math.round(is.mtimeMs)} ${content}`);
      }
    }
  };
  await walk(Buffer.from(root), Buffer.from(''));
  return found;
}

/** Times of the file system are compared by the second: files are made old enough first. */
async function settled(root: string): Promise<void> {
  await eventually('two seconds have passed since the last change', async () => {
    const newest = execFileSync('find', [root, '-printf', '%C@\n'], { encoding: 'utf8' });
    return Date.now() / 1_000 - Math.max(...newest.trim().split('\n').map(Number)) > 2.1;
  });
}

async function fill(root: string): Promise<void> {
  await mkdir(join(root, 'src/deep'), { recursive: true });
  await mkdir(join(root, 'empty'));
  await mkdir(join(root, '__pycache__'));
  await writeFile(join(root, 'src/a.py'), 'print(1)\n');
  await writeFile(join(root, 'src/deep/run.sh'), 'echo hello\n');
  await chmod(join(root, 'src/deep/run.sh'), 0o750);
  await writeFile(join(root, 'secret'), 'quiet');
  await chmod(join(root, 'secret'), 0o400);
  await writeFile(join(root, '__pycache__/a.pyc'), 'made');
  await writeFile(Buffer.concat([Buffer.from(`${root}/odd\n`), Buffer.from([0xff, 0xfe])]), 'odd');
  await writeFile(join(root, 'quote\'"$x `y`'), 'quoted');
  await writeFile(join(root, 'zeros'), '');
  execFileSync('truncate', ['-s', '8M', join(root, 'zeros')]);
  await writeFile(join(root, 'empty.txt'), '');
  await symlink('a.py', join(root, 'src/link'));
  await symlink(join(root, 'src'), join(root, 'inward'));
  await symlink('/nowhere/at/all', join(root, 'dangling'));
  await utimes(join(root, 'src/a.py'), 1_600_000_000, 1_600_000_000.25);
}

describe.each(kinds)('checkpoints of a workspace ($helper, $where)', (kind) => {
  it('hold and give back every file as it was', async () => {
    const { root, folder, copies, make, filesOf } = await stand(kind);
    await fill(root);
    const excluded = excludedExpression(['__pycache__']);
    const made = await make(1, excluded);
    expect(made).toMatchObject({ status: 'made', newFiles: 7, files: 7, noted: 0 });
    expect(made.bytes).toBe(made.newBytes);
    await rm(join(root, '__pycache__'), { recursive: true });
    const wanted = await tree(root);
    expect(new Set((await tree(filesOf(1))).keys())).toEqual(new Set(wanted.keys()));
    const target = join(folder, 'elsewhere');
    const restored = await copies.restore({ folder: made.folder, root: target, origin: root }, never);
    expect(restored).toMatchObject({ status: 'restored', files: 7 });
    // A link into the old workspace leads into the new one.
    wanted.set('/inward', `link ${join(target, 'src')}`);
    expect(await tree(target)).toEqual(wanted);
    expect((await lstat(join(target, 'zeros'))).blocks).toBeLessThan(16_000);
  });

  it('share what did not change with each other, never with the workspace', async () => {
    const { root, make, filesOf } = await stand(kind);
    await fill(root);
    await settled(root);
    await make(1);
    await writeFile(join(root, 'src/a.py'), 'print(2)\n');
    await rm(join(root, 'empty.txt'));
    await mkdir(join(root, 'new'));
    await chmod(join(root, 'src/deep/run.sh'), 0o640);
    expect(await make(2)).toMatchObject({ status: 'made', files: 7, newFiles: 2 });
    const inode = async (path: string) => (await lstat(path)).ino;
    for (const name of ['secret', 'zeros']) {
      expect(await inode(join(filesOf(2), name))).toBe(await inode(join(filesOf(1), name)));
      expect((await lstat(join(root, name))).nlink).toBe(1);
    }
    expect(await readFile(join(filesOf(1), 'src/a.py'), 'utf8')).toBe('print(1)\n');
    expect(await readFile(join(filesOf(2), 'src/a.py'), 'utf8')).toBe('print(2)\n');
    expect((await lstat(join(filesOf(1), 'src/deep/run.sh'))).mode & 0o777).toBe(0o750);
    expect((await lstat(join(filesOf(2), 'src/deep/run.sh'))).mode & 0o777).toBe(0o640);
    await expect(lstat(join(filesOf(2), 'empty.txt'))).rejects.toThrow('ENOENT');
    expect((await lstat(join(filesOf(2), 'new'))).isDirectory()).toBe(true);
  });

  it('notice a change that the times do not show', async () => {
    const { root, make, filesOf } = await stand(kind);
    await writeFile(join(root, 'a'), 'one');
    await make(1);
    // Same length, same inode, and, within the second, the same times.
    await writeFile(join(root, 'a'), 'two');
    await make(2);
    expect(await readFile(join(filesOf(2), 'a'), 'utf8')).toBe('two');
    expect(await make(3)).toMatchObject({ newFiles: 0 });
  });

  it('pass over what is no file, and say so', async () => {
    const { root, make } = await stand(kind);
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await writeFile(join(root, 'one'), 'two names');
    await link(join(root, 'one'), join(root, 'two'));
    const made = await make(1);
    expect(made).toMatchObject({ status: 'made', files: 2, noted: 1 });
    expect(noteSentence(made)).toBe('pipe is no file (a socket, a pipe or a device).');
  });

  it('are there whole or not at all, and leavings of a cut one go', async () => {
    const { root, base, make, copies } = await stand(kind);
    await writeFile(join(root, 'a'), 'one');
    await make(1);
    await mkdir(join(base, `${id(9)}.partial/files`), { recursive: true });
    await mkdir(join(base, `${id(8)}/files`), { recursive: true });
    await make(2);
    expect((await readdir(base)).sort()).toEqual(['.lock', id(1), id(2)]);
    // More of them than can be named: only half ones go.
    await mkdir(join(base, `${id(9)}.partial/files`), { recursive: true });
    const keep = Array.from({ length: 2_001 }, (_, each) => id(each + 100));
    await copies.copy({ root, id: id(3), previous: id(2), keep, exclude: '' }, never);
    expect((await readdir(base)).sort()).toEqual(['.lock', id(1), id(2), id(3)]);
    // Asked again after its answer was lost: the same one, although the workspace has moved on.
    await writeFile(join(root, 'b'), 'later');
    expect(await make(2)).toMatchObject({ status: 'made', files: 1 });
  });

  it('are looked at before they are made', async () => {
    const { root, copies, make } = await stand(kind);
    await writeFile(join(root, 'a'), '12345');
    await settled(root);
    const look = (previous: string) => copies.size({ root, previous, exclude: '' }, never);
    expect(await look('')).toMatchObject({ status: 'sized', files: 1, bytes: 5, newFiles: 1, newBytes: 5 });
    await make(1);
    await writeFile(join(root, 'b'), '123');
    const size = await look(id(1));
    expect(size).toMatchObject({ files: 2, bytes: 8, newFiles: 1, newBytes: 3 });
    expect(size.free).toBeGreaterThan(0);
  });

  it('refuse what cannot be restored', async () => {
    const { root, folder, copies, make, filesOf } = await stand(kind);
    await writeFile(join(root, 'a'), 'one');
    const made = await make(1);
    const order = { folder: made.folder, origin: root };
    await expect(copies.restore({ ...order, root }, never)).rejects.toMatchObject({ code: 'refused' });
    const missing = { ...order, folder: `${made.folder}X`, root: join(folder, 'x') };
    await expect(copies.restore(missing, never)).rejects.toMatchObject({ code: 'not_found' });
    await writeFile(join(filesOf(1), 'a'), 'longer than it was');
    const target = join(folder, 'new');
    await expect(copies.restore({ ...order, root: target }, never)).rejects.toMatchObject({
      code: 'refused',
    });
    await expect(lstat(target)).rejects.toThrow('ENOENT');
    await expect(lstat(`${target}.waymark-partial`)).rejects.toThrow('ENOENT');
    await copies.remove(never);
    await expect(copies.restore({ ...order, root: target }, never)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

it('a file that never stands still is kept as it was last read, and named', async () => {
  const { root, make } = await stand({ helper: 'perl', where: 'local' });
  const path = join(root, 'log');
  await writeFile(path, Buffer.alloc(64 * 1024 * 1024, 1));
  // A process of its own: this one's event loop may be held up, and the file would stand still.
  const writer = spawn('sh', ['-c', 'while printf x >> "$0"; do :; done', path], { stdio: 'ignore' });
  try {
    const { size } = await stat(path);
    await eventually('the file grows', async () => (await stat(path)).size > size);
    const made = await make(1);
    expect(made).toMatchObject({ status: 'made', files: 1, noted: 1 });
    expect(noteSentence(made)).toBe('log changed while it was copied.');
  } finally {
    const ended = once(writer, 'exit');
    writer.kill('SIGKILL');
    await ended;
  }
});

it('either program goes on from what the other one made', async () => {
  const { root, base, make, filesOf } = await stand({ helper: 'perl', where: 'local' });
  await fill(root);
  await settled(root);
  await make(1);
  const computer = new LocalComputer({ resourcesDir, sessionsDir: join(base, '../sessions') });
  closing.push(() => computer.dispose());
  const other = new WorkspaceCopies({
    computer,
    run: 'run',
    localBase: base,
    helpers: ['python3'],
    sources: await readCopySources(resourcesDir),
  });
  const order = { root, id: id(2), previous: id(1), keep: [id(1)], exclude: '' };
  expect(await other.copy(order, never)).toMatchObject({ files: 8, newFiles: 0 });
  expect(await make(3)).toMatchObject({ files: 8, newFiles: 0 });
  const manifest = (number: number) => readFile(join(filesOf(number), '../manifest'));
  expect(await manifest(2)).toEqual(await manifest(1));
  expect(await manifest(3)).toEqual(await manifest(1));
});

it('a kill while it is made leaves no checkpoint, and the next one is whole', async () => {
  const { root, base, copies, make, filesOf } = await stand({ helper: 'perl', where: 'local' });
  await writeFile(join(root, 'a'), 'one');
  await make(1);
  await writeFile(join(root, 'large'), Buffer.alloc(256 * 1024 * 1024, 7));
  const kill = new AbortController();
  const order = { root, id: id(2), previous: id(1), keep: [id(1)], exclude: '' };
  const copying = copies.copy(order, kill.signal);
  await eventually('the copy has begun', async () => (await readdir(base)).includes(`${id(2)}.partial`));
  // SIGKILL to the program: nothing of it can tidy up.
  kill.abort();
  await expect(copying).rejects.toMatchObject({ code: 'cancelled' });
  expect((await readdir(base)).sort()).toEqual(['.lock', id(1), `${id(2)}.partial`]);
  expect(await make(2)).toMatchObject({ status: 'made', files: 2 });
  expect((await readdir(base)).sort()).toEqual(['.lock', id(1), id(2)]);
  expect((await lstat(join(filesOf(2), 'large'))).size).toBe(256 * 1024 * 1024);
});

it('a full disk leaves no checkpoint behind', async () => {
  const { root, base, make } = await stand({ helper: 'python3', where: 'local' });
  await writeFile(join(root, 'large'), '');
  execFileSync('truncate', ['-s', '4000G', join(root, 'large')]);
  expect(await make(1)).toMatchObject({ status: 'full', bytes: 4000 * 1024 ** 3 });
  expect(await readdir(base)).toEqual(['.lock']);
});

it.for([
  'perl',
  'python3',
] as const)('a disk with no file left to make is full (%s)', async (helper, context) => {
  const { root, base, make } = await stand({ helper, where: 'local' });
  await writeFile(join(root, 'small'), 'four');
  const disk = smallDisk('size=8m,nr_inodes=20');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  await symlink(disk, join(base, '../..', 'checkpoints'));
  takeAllFiles(disk);
  expect(await make(1)).toMatchObject({ status: 'full', bytes: 4 });
});
