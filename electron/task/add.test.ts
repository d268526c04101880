import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredTask } from '../store/values';
import { smallTaskYaml, writeTaskPackage } from '../testing/task-package';
import { addTask, type TaskStore } from './add';
import { hashPackage, listPackage } from './package-files';

let folder: string;
let source: string;
let recorded: StoredTask[];
let store: TaskStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-add-'));
  source = await writeTaskPackage(join(folder, 'source'));
  await mkdir(join(folder, 'workspace'));
  recorded = [];
  store = {
    folder: join(folder, 'workspace'),
    reader: { tasks: async () => [...new Map(recorded.map((task) => [task.id, task])).values()] },
    writer: { createTask: async (task) => void recorded.push(task) },
  };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const hashOf = async (path: string) => hashPackage(path, (await listPackage(path)).entries);

describe('content hash', () => {
  it('is the same for a copy elsewhere, with other times and another umask', async () => {
    const copy = join(folder, 'copy');
    await cp(source, copy, { recursive: true });
    await utimes(join(copy, 'task.yaml'), 1, 1);
    await chmod(join(copy, 'task/run.sh'), 0o600);
    await mkdir(join(copy, '.git'));
    await writeFile(join(copy, '.git/HEAD'), 'ref');
    expect(await hashOf(copy)).toBe(await hashOf(source));
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['a byte', (path) => writeFile(join(path, 'task/run.sh'), 'echo hellp\n')],
    ['a name', (path) => writeFile(join(path, 'task/run2.sh'), '')],
    ['the executable bit', (path) => chmod(join(path, 'task/run.sh'), 0o755)],
    ['a link', (path) => symlink('run.sh', join(path, 'task/link.sh'))],
    ['a removal', (path) => rm(join(path, 'task/run.sh'))],
  ])('changes with %s', async (_, change) => {
    const before = await hashOf(source);
    await change(source);
    expect(await hashOf(source)).not.toBe(before);
  });
});

describe('adding a package', () => {
  it('copies it under its hash and records it once', async () => {
    const task = await addTask(store, source);
    expect(task).toMatchObject({ id: 'small', title: 'A small task', domain: 'Data Filtering' });
    expect(task.folder).toBe(join('tasks', task.hash));
    expect(await hashOf(join(store.folder, task.folder))).toBe(task.hash);
    expect(task.spec.description).toContain('eight lines');
    expect(await addTask(store, source)).toEqual(task);
    expect(recorded).toHaveLength(1);
    expect(await readdir(join(store.folder, 'tasks'))).toEqual([task.hash]);
  });

  it('keeps the old copy beside a changed one', async () => {
    const first = await addTask(store, source);
    await writeFile(join(source, 'task.yaml'), smallTaskYaml.replace('A small task', 'A changed task'));
    const second = await addTask(store, source);
    expect(second.title).toBe('A changed task');
    expect((await readdir(join(store.folder, 'tasks'))).sort()).toEqual([first.hash, second.hash].sort());
    expect(await hashOf(join(store.folder, first.folder))).toBe(first.hash);
  });

  it('mends a damaged copy and removes what an earlier, killed try left', async () => {
    const task = await addTask(store, source);
    await writeFile(join(store.folder, task.folder, 'task/run.sh'), 'damaged');
    const left = join(store.folder, 'tasks', `.adding-${task.hash}-dead`);
    await mkdir(left);
    await utimes(left, 1, 1);
    await addTask(store, source);
    expect(await readFile(join(store.folder, task.folder, 'task/run.sh'), 'utf8')).toBe('echo hello\n');
    expect(await readdir(join(store.folder, 'tasks'))).toEqual([task.hash]);
  });

  it('leaves nothing behind for a package that is not sound', async () => {
    await rm(join(source, 'task_description.md'));
    await expect(addTask(store, source)).rejects.toMatchObject({ code: 'task_invalid' });
    expect(recorded).toEqual([]);
    expect(await readdir(store.folder)).toEqual([]);
  });
});
