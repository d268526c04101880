import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseExit, parseMeta, type SessionMeta } from '../sessions/layout';

/** A missing file is an answer. */
export async function absentIsUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** One session's directory on this computer, read side. */
export class SessionFiles {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  path(...parts: string[]): string {
    return join(this.directory, ...parts);
  }

  async meta(): Promise<SessionMeta | undefined> {
    const text = await absentIsUndefined(readFile(this.path('meta'), 'utf8'));
    return text === undefined ? undefined : parseMeta(text);
  }

  async nonce(): Promise<string> {
    return (await readFile(this.path('nonce'), 'utf8')).trim();
  }

  /** The door bell, for writing; `undefined` when nobody listens, which is how a dead supervisor shows. */
  async bell(): Promise<FileHandle | undefined> {
    try {
      return await open(this.path('in'), constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENXIO' || code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async listened(): Promise<boolean> {
    const bell = await this.bell();
    await bell?.close();
    return bell !== undefined;
  }

  async life(): Promise<{ life: 'alive' | 'ended' | 'lost'; exitCode: number | null | undefined }> {
    const ended = async () => {
      const text = await absentIsUndefined(readFile(this.path('exit'), 'utf8'));
      return text === undefined ? undefined : ({ life: 'ended', exitCode: parseExit(text) } as const);
    };
    const told = await ended();
    if (told) return told;
    if (await this.listened()) return { life: 'alive', exitCode: undefined };
    // It may have ended between the two looks.
    return (await ended()) ?? { life: 'lost', exitCode: undefined };
  }

  async log(): Promise<{ size: number; mtimeMs: number }> {
    const { size, mtimeMs } = await stat(this.path('spool'));
    return { size, mtimeMs };
  }

  async inbox(): Promise<string[]> {
    return readdir(this.path('inbox'));
  }

  async commandFiles(): Promise<string[]> {
    return readdir(this.path('cmd'));
  }

  async diskFull(): Promise<boolean> {
    return (await absentIsUndefined(stat(this.path('full')))) !== undefined;
  }

  /** Frees the name; the log stays under the session's id. */
  async archive(root: string, id: string): Promise<void> {
    await rename(this.directory, join(root, `.closed-${id}`));
  }
}
