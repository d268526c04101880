import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, rename, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { syncFolder } from '../base/atomic-file';
import { inside } from '../files/inside';
import { outputFailure } from '../files/output-file';
import { removeAt } from '../files/remove';
import { refuseWorkspacePart } from '../files/workspace-paths';
import { makeFolder } from '../store/file/make-folder';
import { ExportJournal, type JournalHead } from './jobs/export-journal';
import { isAlive, startOf } from './jobs/process-alive';
import { manifestFile, manifestFormat, type WrittenFile } from './manifest';

/** Bytes gathered before a write. */
const chunkBytes = 1 << 20;

const OWN = { kind: 'folder', owned: true } as const;
/** What follows `.partial-`: whose it is, which of theirs. */
const OURS = /^(\d+)-([0-9a-f]{8})(-old)?$/;
/** Where the dataset grows in a partial folder; what lies beside it is the journal. */
const GROWING = 'dataset';

/** What a killed process left beside a target. */
export interface LeftFolder {
  partial: string;
  head: JournalHead;
}

/**
 * A dataset appears whole or not at all: files are written into a folder beside the target, made durable, and that is renamed. An
 * earlier export in the same place stays until then. What a killed process left can be gone on with.
 */
export class DatasetFolder {
  readonly files: WrittenFile[] = [];
  readonly journal: ExportJournal;

  private constructor(
    private readonly target: string,
    private readonly partial: string,
  ) {
    this.journal = new ExportJournal(partial);
  }

  /**
   * Begins anew. What killed processes had left beside the target goes.
   * @throws WaymarkError `already_exists` when the target holds anything but an earlier export, `conflict` while another export
   * writes to it
   */
  static async begin(target: string): Promise<DatasetFolder> {
    await checkTarget(target);
    const partial = `${target}.partial-${process.pid}-${randomBytes(4).toString('hex')}`;
    await guarded(target, async () => {
      makeFolder(dirname(target));
      await refuseSecond(target);
      for (const left of await leftBeside(target)) await clear(target, left);
      await mkdir(partial);
      await mkdir(join(partial, GROWING));
    });
    const folder = new DatasetFolder(target, partial);
    await folder.alone(() => folder.abandon());
    return folder;
  }

  /** Exports to this target whose process was killed, with what they were about. */
  static async left(target: string): Promise<LeftFolder[]> {
    const found: LeftFolder[] = [];
    for (const { path, old } of await guarded(target, () => leftBeside(target))) {
      const head = old ? null : await new ExportJournal(path).head();
      if (head !== null && head.out === target) found.push({ partial: path, head });
    }
    return found;
  }

  /** Where its files lie until it is done. */
  get growing(): string {
    return join(this.partial, GROWING);
  }

  /** Goes on in what a killed process left; null when another process was quicker. */
  static async takeUp(target: string, { partial }: LeftFolder): Promise<DatasetFolder | null> {
    await checkTarget(target);
    await guarded(target, () => refuseSecond(target));
    for (const each of await guarded(target, () => leftBeside(target)))
      if (each.old) await clear(target, each);
    const [, , id = ''] = OURS.exec(basename(partial).slice(`${basename(target)}.partial-`.length)) ?? [];
    const mine = `${target}.partial-${process.pid}-${id}`;
    try {
      if (mine !== partial) await rename(partial, mine);
    } catch (error) {
      if (['ENOENT', 'EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? ''))
        return null;
      throw outputFailure(error, target);
    }
    const folder = new DatasetFolder(target, mine);
    await folder.alone(() => folder.release());
    return folder;
  }

  /** Two that begin in the same moment both see the other, and both give up. */
  private async alone(giveUp: () => Promise<void>): Promise<void> {
    try {
      await guarded(this.target, () => refuseSecond(this.target, this.partial));
    } catch (error) {
      await giveUp();
      throw error;
    }
  }

  /** Absolute path for a file of the dataset; folders on the way are made. */
  async place(path: string): Promise<string> {
    const root = join(this.partial, GROWING);
    const names = path.split('/');
    return guarded(this.target, async () => {
      await mkdir(inside(root, ...names.slice(0, -1)), { recursive: true });
      return inside(root, ...names);
    });
  }

  /** Removes a file that is to be written anew. */
  async remove(path: string): Promise<void> {
    await removeAt(await this.place(path), { kind: 'file', owned: true });
  }

  /** Removes what lies in a folder beside these files. */
  async keepOnly(folder: string, files: readonly string[]): Promise<void> {
    const kept = new Set(files);
    const place = await this.place(`${folder}/-`);
    for (const name of await readdir(dirname(place)))
      if (!kept.has(`${folder}/${name}`)) await this.remove(`${folder}/${name}`);
  }

  async write(path: string, texts: AsyncIterable<string> | Iterable<string>): Promise<WrittenFile> {
    const hash = createHash('sha256');
    let bytes = 0;
    const place = await this.place(path);
    await guarded(this.target, async () => {
      const handle = await open(place, 'w');
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
      const growing = join(this.partial, GROWING);
      for (const folder of foldersOf(this.files)) await syncFolder(join(growing, folder));
      await syncFolder(growing);
      const old = `${this.partial}-old`;
      const replaces = await moveAway(this.target, old);
      try {
        await rename(growing, this.target);
      } catch (error) {
        if (replaces) await rename(old, this.target);
        throw error;
      }
      await syncFolder(dirname(this.target));
      await removeAt(old, OWN);
      await removeAt(this.partial, OWN);
    });
  }

  /** Lets go of it as it is: whoever exports to the same place may go on with it, this process included. */
  async release(): Promise<void> {
    await rename(this.partial, `${this.target}.partial-0-${this.partial.slice(-8)}`);
  }

  async abandon(): Promise<void> {
    await removeAt(this.partial, OWN);
  }

  /** What the disk says is told with the name of the target. */
  guarded<T>(work: () => Promise<T>): Promise<T> {
    return guarded(this.target, work);
  }
}

/** Folders that hold the files, deepest first. */
function foldersOf(files: readonly WrittenFile[]): string[] {
  const folders = new Set<string>();
  for (const { path } of files) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  }
  return [...folders].sort((a, b) => b.length - a.length);
}

/** @throws WaymarkError `already_exists`: what is there is never touched. */
export async function checkTarget(target: string): Promise<void> {
  await refuseWorkspacePart(target);
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
  return listed !== null && (await holdsOnly(target, '', listed)) ? 'export' : 'other';
}

/** Whether a folder holds nothing but files of the list, folders for them, and the manifest. */
async function holdsOnly(target: string, below: string, listed: ReadonlySet<string>): Promise<boolean> {
  for (const entry of await readdir(join(target, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (path === manifestFile || listed.has(path)) continue;
    const leads = entry.isDirectory() && [...listed].some((file) => file.startsWith(`${path}/`));
    if (!leads || !(await holdsOnly(target, path, listed))) return false;
  }
  return true;
}

/** Names of the files that a manifest of ours lists; null when it is somebody else's. */
async function manifestFiles(path: string): Promise<ReadonlySet<string> | null> {
  const text = await readFile(path, 'utf8');
  try {
    const manifest = JSON.parse(text) as { format?: unknown; files?: { path?: unknown }[] };
    if (manifest.format !== manifestFormat || !Array.isArray(manifest.files)) return null;
    return new Set(manifest.files.map((file) => String(file.path)));
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

/** Another export that grows beside the target would be replaced by this one, or the other way round. @throws WaymarkError `conflict` */
async function refuseSecond(target: string, own?: string): Promise<void> {
  const other = (await partialsBeside(target)).find(({ path, owned, old }) => owned && !old && path !== own);
  if (other === undefined) return;
  throw new WaymarkError(
    'conflict',
    `Another export is being written to ${target}, by process ${other.pid}. Wait until it is done, or name another folder.`,
  );
}

/** Folders beside a target whose process is gone. */
async function leftBeside(target: string): Promise<PartialFolder[]> {
  return (await partialsBeside(target)).filter(({ owned }) => !owned);
}

interface PartialFolder {
  path: string;
  pid: number;
  /** Its process lives. */
  owned: boolean;
  /** An earlier dataset that was moved away. */
  old: boolean;
}

/** What exports of this user left or write beside a target. */
async function partialsBeside(target: string): Promise<PartialFolder[]> {
  const prefix = `${basename(target)}.partial-`;
  const names = await readdir(dirname(target)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found: PartialFolder[] = [];
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const [, pid, , old] = OURS.exec(name.slice(prefix.length)) ?? [];
    if (pid === undefined) continue;
    const path = join(dirname(target), name);
    // Beside a target in a shared folder anybody may make such names: only a folder of this user is a leaving.
    const about = await lstat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (about === null || !about.isDirectory()) continue;
    if (process.getuid !== undefined && about.uid !== process.getuid()) continue;
    const owned = await isOwned(path, Number(pid));
    found.push({ path, pid: Number(pid), owned, old: old !== undefined });
  }
  return found;
}

/** Whether the process that wrote it still lives: its number may have gone to another one since. */
async function isOwned(path: string, pid: number): Promise<boolean> {
  if (pid === 0 || !isAlive(pid)) return false;
  const owner = (await new ExportJournal(path).head())?.owner;
  return owner === undefined || owner.pid !== pid || owner.start === startOf(pid);
}

/** An old dataset that was already moved away is put back; anything else that was left goes. */
async function clear(target: string, { path, old }: PartialFolder): Promise<void> {
  if (old && (await inspect(target)) === 'free') {
    await moveAway(target, path);
    await rename(path, target);
  } else await removeAt(path, OWN);
}

async function guarded<T>(target: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw outputFailure(error, target);
  }
}
