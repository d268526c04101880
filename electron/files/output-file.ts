import { statfsSync } from 'node:fs';
import { mkdir, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { AtomicFile } from '../base/atomic-file';
import { refuseWorkspacePart } from './workspace-paths';

/**
 * A file for people, or for the next start: it has its name only once every byte of it is safe on the disk, and a failure names
 * the place. A link stays a link.
 */
export class OutputFile {
  private constructor(
    private readonly path: string,
    private readonly file: AtomicFile,
  ) {}

  /** `mode`: of the new file. @throws WaymarkError as `outputFailure`; `bad_input` when a folder has that name, or it is part of a workspace */
  static begin(path: string, mode = 0o666): Promise<OutputFile> {
    return told(path, async () => {
      await refuseWorkspacePart(path);
      const target = await realpath(path).catch((thrown: NodeJS.ErrnoException) => {
        if (thrown.code === 'ENOENT') return path;
        throw thrown;
      });
      const there = target === path ? await statOrNull(path) : await stat(target);
      if (there !== null && !there.isFile()) throw notAFile(path);
      return new OutputFile(path, await AtomicFile.begin(target, mode));
    });
  }

  /** Resolves once the system has taken all of it. */
  write(data: string | Uint8Array): Promise<void> {
    return told(this.path, () => this.file.handle.writeFile(data));
  }

  /** Gives the file its name. When that fails nothing is left of it. */
  commit(): Promise<void> {
    return told(this.path, () => this.file.commit());
  }

  abandon(): Promise<void> {
    return this.file.abandon();
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

/** Atomic, on disk when it resolves, and for the owner's eyes only. */
export async function writePrivately(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw outputFailure(thrown, path);
  }
  await writeOutput(path, text, 0o600);
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
