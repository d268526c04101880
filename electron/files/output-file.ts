import { randomBytes } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { type FileHandle, open, realpath, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { removeFile } from './remove';

/**
 * A file for people, or for the next start: it has its name only once every byte of it is safe on the disk, so that whoever
 * finds it finds it whole. What was there before stays until then. A link stays a link.
 */
export class OutputFile {
  private constructor(
    private readonly path: string,
    private readonly target: string,
    private readonly draft: string,
    private readonly handle: FileHandle,
  ) {}

  /** `mode`: of the new file. @throws WaymarkError as `outputFailure`; `bad_input` when a folder has that name */
  static begin(path: string, mode = 0o666): Promise<OutputFile> {
    return told(path, async () => {
      const target = await realpath(path).catch((thrown: NodeJS.ErrnoException) => {
        if (thrown.code === 'ENOENT') return path;
        throw thrown;
      });
      const there = target === path ? await statOrNull(path) : await stat(target);
      if (there !== null && !there.isFile()) throw notAFile(path);
      const name = `.${basename(target).slice(0, 100)}.${process.pid}-${randomBytes(4).toString('hex')}.partial`;
      const draft = join(dirname(target), name);
      return new OutputFile(path, target, draft, await open(draft, 'wx', mode));
    });
  }

  /** Resolves once the system has taken all of it. */
  write(data: string | Uint8Array): Promise<void> {
    return told(this.path, () => this.handle.writeFile(data));
  }

  /** Gives the file its name. When that fails nothing is left of it. */
  async commit(): Promise<void> {
    try {
      await told(this.path, async () => {
        await this.handle.sync();
        await this.handle.close();
        await rename(this.draft, this.target);
        await syncFolder(dirname(this.target));
      });
    } catch (thrown) {
      await this.abandon();
      throw thrown;
    }
  }

  async abandon(): Promise<void> {
    // Twice does no harm.
    await this.handle.close();
    removeFile(dirname(this.draft), basename(this.draft));
  }
}

/** All of a file at once. @throws WaymarkError as `outputFailure` */
export async function writeOutput(path: string, data: string | Uint8Array, mode?: number): Promise<void> {
  const file = await OutputFile.begin(path, mode);
  try {
    await file.write(data);
  } catch (thrown) {
    await file.abandon();
    throw thrown;
  }
  await file.commit();
}

/** What the system raised while `path` was written, as an expected failure that names the place; anything else as it is. */
export function outputFailure(thrown: unknown, path: string): unknown {
  if (thrown instanceof WaymarkError || !(thrown instanceof Error) || !('syscall' in thrown)) return thrown;
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  const failure = (kind: 'disk_full' | 'read_only' | 'bad_input', said: string) =>
    new WaymarkError(kind, `${path} was not written: ${said}`, message, { cause: thrown });
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return failure(
        'disk_full',
        `${hasNoFiles(path) ? 'its disk has no room for another file' : 'its disk is full'}. Free some space there, or choose another place.`,
      );
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return failure(
        'read_only',
        'nothing may be written there. Choose another place, or change its permissions.',
      );
    case 'ENOENT':
      return failure(
        'bad_input',
        `there is no folder ${dirname(path)}. Choose another place, or make it first.`,
      );
    case 'ENOTDIR':
    case 'EISDIR':
    case 'EEXIST':
    case 'ELOOP':
    case 'ENAMETOOLONG':
      return failure('bad_input', 'it cannot be the name of a file or folder there. Choose another place.');
    default:
      return failure('bad_input', `the system refused it (${code}). Choose another place.`);
  }
}

/** A folder's entries are on the disk when this resolves. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder for syncing; its file system orders renames by itself.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function told<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw outputFailure(thrown, path);
  }
}

async function statOrNull(path: string) {
  try {
    return await stat(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw thrown;
  }
}

function notAFile(path: string): WaymarkError {
  return new WaymarkError(
    'bad_input',
    `${path} was not written: something else than a file has that name. Name a file.`,
  );
}

/** Whether the file system is out of files rather than of bytes; one that does not count files says 0. */
function hasNoFiles(path: string): boolean {
  try {
    const { files, ffree } = statfsSync(dirname(path));
    return files > 0 && ffree === 0;
  } catch (thrown) {
    // The folder itself could not be made.
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path)
      return hasNoFiles(dirname(path));
    throw thrown;
  }
}
