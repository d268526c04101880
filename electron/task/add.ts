import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, open, readdir, rename, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { WaymarkError } from '@shared/contract/errors';
import { makeFoldersIn } from '../files/private';
import { remove } from '../files/remove';
import { packageFolder } from '../files/workspace-paths';
import type { Store } from '../store/api';
import { fromElsewhere } from '../store/file/read-only';
import type { StoredTask } from '../store/values';
import { hashPackage, listPackage, type PackageEntry } from './package-files';

/** What `addTask` needs of the store. */
export interface TaskStore {
  readonly folder: string;
  /** Nothing may be put into its folder. */
  readonly isReadOnly?: boolean;
  readonly reader: Pick<Store['reader'], 'tasks'>;
  readonly writer: Pick<Store['writer'], 'createTask'>;
}

/**
 * Copies the package in `path` into the workspace under its content hash and records it. The same content
 * twice is already there. Changed content under the same id becomes the task's newest version; runs keep
 * the copy they pinned.
 * @throws WaymarkError `task_invalid`, `disk_full`
 */
export async function addTask(store: TaskStore, path: string): Promise<StoredTask> {
  // Reading YAML is for packages that are added; a start does not wait for its parser to load.
  const { loadTaskPackage } = await import('./load');
  const { spec, entries } = await loadTaskPackage(path);
  const hash = await hashPackage(path, entries);
  if (store.isReadOnly === true) throw fromElsewhere(store.folder, 'adding_task');
  const folder = join('tasks', hash);
  await placeCopy(path, entries, hash, store.folder);
  const known = (await store.reader.tasks()).find((task) => task.id === spec.id);
  const pinned = JSON.parse(JSON.stringify(spec)) as Record<string, unknown>;
  // An older version of the application may have read less from the same package.
  if (known?.hash === hash && isDeepStrictEqual(known.spec, pinned)) return known;
  const task: StoredTask = {
    id: spec.id,
    title: spec.title,
    domain: spec.domain,
    hash,
    folder,
    spec: pinned,
    addedAt: Date.now(),
  };
  await store.writer.createTask(task);
  return task;
}

/** Where the copy that a run pinned is, also after the task got a newer version. */
export function pinnedPackage(workspace: string, hash: string): string {
  return packageFolder(workspace, hash);
}

/** As `pinnedPackage`. @throws WaymarkError task_invalid where it is gone */
export function requirePackage(workspace: string, { title, hash }: { title: string; hash: string }): string {
  const folder = packageFolder(workspace, hash);
  if (existsSync(folder)) return folder;
  throw new WaymarkError(
    'task_invalid',
    `The files of task "${title}" are missing from the workspace (tasks/${hash}). Add the same package again: a run keeps the version it began with.`,
  );
}

/** Leaves either the whole, verified copy in the workspace or nothing; half copies of an earlier try are removed. */
async function placeCopy(
  source: string,
  entries: readonly PackageEntry[],
  hash: string,
  workspace: string,
): Promise<void> {
  const target = packageFolder(workspace, hash);
  if (await holds(target, hash)) return;
  const parent = dirname(target);
  makeFoldersIn(workspace, 'tasks');
  const prefix = `.adding-${hash}-`;
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    // A younger one may belong to another process that adds the same package right now.
    const old = Date.now() - (await stat(join(parent, name))).mtimeMs > 3_600_000;
    if (old) await remove(workspace, ['tasks', name], { kind: 'folder' });
  }
  const draft = join(parent, `${prefix}${randomBytes(4).toString('hex')}`);
  try {
    await copyEntries(source, entries, draft);
    if ((await hashPackage(draft, (await listPackage(draft)).entries)) !== hash) {
      throw new WaymarkError(
        'conflict',
        `${source} changed while it was copied. Add it again once it stops changing.`,
      );
    }
    await remove(workspace, ['tasks', hash], { kind: 'folder' });
    await rename(draft, target);
    await syncFolder(parent);
  } catch (error) {
    await remove(workspace, ['tasks', basename(draft)], { kind: 'folder' });
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
      throw new WaymarkError(
        'disk_full',
        `The disk is full; the package was not added. Free space and add it again.`,
      );
    }
    throw error;
  }
}

async function holds(folder: string, hash: string): Promise<boolean> {
  const there = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!there) return false;
  return (await hashPackage(folder, (await listPackage(folder)).entries)) === hash;
}

/** Copies package entries below `target`, files durable, links as they are. */
export async function copyEntries(
  source: string,
  entries: readonly PackageEntry[],
  target: string,
): Promise<void> {
  await mkdir(target, { recursive: true });
  for (const entry of entries) {
    const to = join(target, entry.path);
    await mkdir(dirname(to), { recursive: true });
    if (entry.kind === 'link') {
      await symlink(entry.target ?? '', to);
      continue;
    }
    await copyFile(join(source, entry.path), to);
    await chmod(to, entry.executable ? 0o755 : 0o644);
    const file = await open(to, 'r+');
    await file.sync().finally(() => file.close());
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
