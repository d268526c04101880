import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, rename, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { syncFolder } from '../base/atomic-file';
import { outputFailure } from '../files/output-file';
import { removeAt } from '../files/remove';
import { makeFolder } from '../store/file/make-folder';
import { manifestFile, manifestFormat, type WrittenFile } from './manifest';

/** Bytes gathered before a write. */
const chunkBytes = 1 << 20;

const OWN = { kind: 'folder', owned: true } as const;
/** What follows `.partial-`: whose it is, which of theirs. */
const OURS = /^(\d+)-[0-9a-f]{8}(?:-old)?$/;

/**
 * A dataset appears whole or not at all: files are written into a folder beside the target, made durable, and the
 * folder is renamed. An earlier export in the same place stays until then.
 */
export class DatasetFolder {
  readonly files: WrittenFile[] = [];

  private constructor(
    private readonly target: string,
    private readonly partial: string,
  ) {}

  /** @throws WaymarkError `already_exists` when the target holds anything but an earlier export. */
  static async begin(target: string): Promise<DatasetFolder> {
    await checkTarget(target);
    const partial = `${target}.partial-${process.pid}-${randomBytes(4).toString('hex')}`;
    await guarded(target, async () => {
      makeFolder(dirname(target));
      await removeLeftovers(target);
      await mkdir(partial);
    });
    return new DatasetFolder(target, partial);
  }

  async write(path: string, texts: AsyncIterable<string> | Iterable<string>): Promise<WrittenFile> {
    const hash = createHash('sha256');
    let bytes = 0;
    await guarded(this.target, async () => {
      await mkdir(dirname(join(this.partial, path)), { recursive: true });
      const handle = await open(join(this.partial, path), 'wx');
      try {
        let waiting: Buffer[] = [];
        let size = 0;
        const flush = async () => {
          const [only] = waiting;
          await handle.writeFile(waiting.length === 1 && only ? only : Buffer.concat(waiting));
          waiting = [];
          size = 0;
        };
        for await (const text of texts) {
          const chunk = Buffer.from(text);
          hash.update(chunk);
          bytes += chunk.length;
          size += chunk.length;
          waiting.push(chunk);
          if (size >= chunkBytes) await flush();
        }
        await flush();
        await handle.sync();
      } finally {
        await handle.close();
      }
    });
    const file = { path, bytes, sha256: hash.digest('hex') };
    this.files.push(file);
    return file;
  }

  /** Makes the dataset visible. */
  async commit(): Promise<void> {
    await guarded(this.target, async () => {
      await syncFolder(this.partial);
      const old = `${this.partial}-old`;
      const replaces = await moveAway(this.target, old);
      try {
        await rename(this.partial, this.target);
      } catch (error) {
        if (replaces) await rename(old, this.target);
        throw error;
      }
      await syncFolder(dirname(this.target));
      await removeAt(old, OWN);
    });
  }

  async abandon(): Promise<void> {
    await removeAt(this.partial, OWN);
  }
}

/** @throws WaymarkError `already_exists`: what is there is never touched. */
export async function checkTarget(target: string): Promise<void> {
  const there = await inspect(target);
  if (there === 'free' || there === 'export') return;
  throw new WaymarkError(
    'already_exists',
    there === 'file'
      ? `${target} is a file. Name a folder for the dataset.`
      : `${target} already holds other files. Name a new or empty folder; only an earlier export is replaced.`,
    target,
  );
}

async function inspect(target: string): Promise<'free' | 'export' | 'file' | 'other'> {
  const facts = await stat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw outputFailure(error, target);
  });
  if (facts === null) return 'free';
  if (!facts.isDirectory()) return 'file';
  const names = await readdir(target);
  if (names.length === 0) return 'free';
  if (!names.includes(manifestFile)) return 'other';
  const listed = await manifestFiles(join(target, manifestFile));
  return listed !== null && (await holdsOnly(target, new Set([manifestFile, ...listed])))
    ? 'export'
    : 'other';
}

/** Whether every file below the folder is one of these; a folder of theirs may hold nothing else. */
async function holdsOnly(target: string, paths: ReadonlySet<string>, below = ''): Promise<boolean> {
  for (const entry of await readdir(join(target, below), { withFileTypes: true })) {
    const path = `${below}${entry.name}`;
    const isOurs = entry.isDirectory()
      ? [...paths].some((each) => each.startsWith(`${path}/`)) && (await holdsOnly(target, paths, `${path}/`))
      : paths.has(path);
    if (!isOurs) return false;
  }
  return true;
}

/** Names of the files that a manifest of ours lists; null when it is somebody else's. */
async function manifestFiles(path: string): Promise<string[] | null> {
  const text = await readFile(path, 'utf8');
  try {
    const manifest = JSON.parse(text) as { format?: unknown; files?: { path?: unknown }[] };
    if (manifest.format !== manifestFormat || !Array.isArray(manifest.files)) return null;
    return manifest.files.map((file) => String(file.path));
  } catch (error) {
    // Any other program may have a manifest.json of its own shape.
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}

/** True when there was something to move; an empty folder is removed instead. */
async function moveAway(target: string, to: string): Promise<boolean> {
  const there = await inspect(target);
  if (there === 'export') {
    await rename(target, to);
    return true;
  }
  await checkTarget(target);
  await rmdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return false;
}

/** Folders of exports whose process was killed. An old dataset that was already moved away is put back. */
async function removeLeftovers(target: string): Promise<void> {
  const prefix = `${basename(target)}.partial-`;
  for (const name of await readdir(dirname(target))) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number(OURS.exec(name.slice(prefix.length))?.[1]);
    if (!pid || isAlive(pid)) continue;
    const path = join(dirname(target), name);
    // Beside a target in a shared folder anybody may make such names: only a folder of this user is a leaving.
    const about = await lstat(path);
    if (!about.isDirectory() || (process.getuid !== undefined && about.uid !== process.getuid())) continue;
    if (name.endsWith('-old') && (await inspect(target)) === 'free') {
      await moveAway(target, path);
      await rename(path, target);
    } else await removeAt(path, OWN);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function guarded<T>(target: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw outputFailure(error, target);
  }
}
