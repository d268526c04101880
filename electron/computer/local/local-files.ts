import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { removeAt } from '../../files/remove';
import {
  cannot,
  isDirectory,
  mustBeAbsolute,
  noDirectory,
  notAFile,
  systemErrors,
  tooLarge,
} from '../file-texts';
import type {
  DirectoryEntry,
  FileContent,
  FileKind,
  FileStat,
  FileSystemPort,
  FileWriteOptions,
  WalkEntry,
  WalkOptions,
} from '../port';
import { replaceFile } from './atomic-write';

/** A system call's error as a `FileError`; what is none (an abort, a bug) comes back as it was. */
function asFileError(thrown: unknown, path: string, verb: string): unknown {
  if (thrown instanceof WaymarkError || !(thrown instanceof Error)) return thrown;
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === undefined || (thrown as NodeJS.ErrnoException).syscall === undefined) return thrown;
  const known = systemErrors[code] ?? { reason: 'io' as const, text: thrown.message };
  const text = verb === 'write' && code === 'ENOENT' ? noDirectory : known.text;
  return cannot(known.reason, path, verb, text, `${code}: ${thrown.message}`, { cause: thrown });
}

/** Opening a pipe nobody writes to must not wait for ever. */
const readOnly = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Files of this computer. */
export class LocalFiles implements FileSystemPort {
  async read(path: string, options: { maxBytes: number }): Promise<FileContent> {
    return this.on(path, 'read', async () => {
      const handle = await open(path, readOnly);
      try {
        const about = await handle.stat();
        mustBeFile(path, about);
        if (about.size > options.maxBytes) throw tooLarge(path, about.size, options.maxBytes);
        // Files in /proc and growing ones do not have the size they say.
        const buffer = await handle.readFile();
        const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
        if (bytes.length > options.maxBytes) throw tooLarge(path, bytes.length, options.maxBytes);
        return {
          bytes,
          sha256: createHash('sha256').update(bytes).digest('hex'),
          size: bytes.length,
          mtimeMs: about.mtimeMs,
          mode: about.mode & 0o7777,
        };
      } finally {
        await handle.close();
      }
    });
  }

  async readRange(
    path: string,
    offset: number,
    length: number,
  ): Promise<{ bytes: Uint8Array; size: number }> {
    return this.on(path, 'read', async () => {
      const handle = await open(path, readOnly);
      try {
        const about = await handle.stat();
        mustBeFile(path, about);
        const bytes = new Uint8Array(Math.max(0, Math.min(length, about.size - offset)));
        let filled = 0;
        while (filled < bytes.length) {
          const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, offset + filled);
          if (bytesRead === 0) break;
          filled += bytesRead;
        }
        return { bytes: bytes.subarray(0, filled), size: about.size };
      } finally {
        await handle.close();
      }
    });
  }

  async write(path: string, bytes: Uint8Array, options: FileWriteOptions = {}): Promise<{ sha256: string }> {
    return this.on(path, 'write', () => replaceFile(path, bytes, options, (file) => this.hash(file)));
  }

  async stat(path: string): Promise<FileStat | undefined> {
    return this.on(path, 'look at', async () => {
      const about = await absent(stat(path));
      if (!about) return undefined;
      return {
        kind: about.isFile() ? 'file' : about.isDirectory() ? 'directory' : 'other',
        size: about.size,
        mtimeMs: about.mtimeMs,
        mode: about.mode & 0o7777,
      };
    });
  }

  async list(path: string, options: { hidden: boolean }): Promise<DirectoryEntry[]> {
    return this.on(path, 'list', async () => {
      const entries = await readdir(path, { withFileTypes: true });
      const shown = entries.filter((entry) => options.hidden || !entry.name.startsWith('.'));
      const listed = await Promise.all(
        shown.map(async (entry): Promise<DirectoryEntry> => {
          if (!entry.isSymbolicLink()) return { name: entry.name, kind: kindOf(entry) };
          const target = await absent(stat(join(path, entry.name)));
          return { name: entry.name, kind: target ? kindOf(target) : 'symlink' };
        }),
      );
      return listed.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    });
  }

  async walk(path: string, options: WalkOptions): Promise<{ entries: WalkEntry[]; truncated: boolean }> {
    return this.on(path, 'search', async () => {
      const entries: WalkEntry[] = [];
      // The top must be there and readable; what lies below may be skipped.
      await readdir(path);
      const open = [path];
      for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
        options.signal?.throwIfAborted();
        const names = await skipForbidden(readdir(directory, { withFileTypes: true }));
        const shown = (names ?? [])
          .filter((entry) => options.hidden || !entry.name.startsWith('.'))
          .sort((a, b) => (a.name < b.name ? -1 : 1));
        const below: string[] = [];
        for (const entry of shown) {
          if (entries.length >= options.maxEntries) return { entries, truncated: true };
          const full = join(directory, entry.name);
          const about = await skipForbidden(stat(full));
          const kind = entry.isSymbolicLink() && about?.isFile() ? 'file' : kindOf(entry);
          const size = entry.isDirectory() ? 0 : (about?.size ?? 0);
          entries.push({ path: full, kind, size, mtimeMs: about?.mtimeMs ?? 0 });
          if (entry.isDirectory()) below.push(full);
        }
        open.push(...below.reverse());
      }
      return { entries, truncated: false };
    });
  }

  async realpath(path: string): Promise<string> {
    return this.on(path, 'resolve', () => realpath(path));
  }

  async makeDirectory(path: string): Promise<void> {
    await this.on(path, 'make', async () => {
      await mkdir(path, { recursive: true });
    });
  }

  async remove(path: string, options: { recursive?: boolean } = {}): Promise<void> {
    await this.on(path, 'remove', async () => {
      if (options.recursive) {
        await lstat(path);
        return removeAt(path);
      }
      try {
        await unlink(path);
      } catch (error) {
        // Linux says EISDIR, macOS EPERM.
        const about = await absent(stat(path));
        if (!about?.isDirectory()) throw error;
        await rmdir(path);
      }
    });
  }

  async hash(path: string): Promise<string> {
    return this.on(path, 'read', async () => {
      mustBeFile(path, await stat(path));
      const digest = createHash('sha256');
      for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }))
        digest.update(chunk as Buffer);
      return digest.digest('hex');
    });
  }

  private async on<T>(path: string, verb: string, work: () => Promise<T>): Promise<T> {
    mustBeAbsolute(path);
    try {
      return await work();
    } catch (error) {
      throw asFileError(error, path, verb);
    }
  }
}

interface Typed {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

function kindOf(about: Typed): FileKind {
  if (about.isFile()) return 'file';
  if (about.isDirectory()) return 'directory';
  return about.isSymbolicLink() ? 'symlink' : 'other';
}

function mustBeFile(path: string, about: Pick<Typed, 'isFile' | 'isDirectory'>): void {
  if (about.isDirectory()) throw isDirectory(path);
  if (!about.isFile()) throw notAFile(path);
}

async function absent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}

async function skipForbidden<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await absent(reading);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}
