import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseExit, parseMeta, type SessionMeta } from '../sessions/layout';

const maxMarks = 256 * 1024;
/** Longer than any line of `marks`. */
const markTail = 300;

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
    const text = await this.text('meta');
    const meta = text === undefined ? undefined : parseMeta(text);
    return meta && { ...meta, copied: await this.isCopy(meta) };
  }

  /** A log that was renamed with its folder is the same file still; a copy of it is another one, whose writer never lived. */
  private async isCopy({ spool }: SessionMeta): Promise<boolean> {
    if (spool === '') return false;
    const log = await absentIsUndefined(stat(this.path('spool'), { bigint: true }));
    // The number of the disk is no part of it: it changes between starts, and languages write it differently.
    return log !== undefined && !spool.endsWith(`:${log.ino}`);
  }

  async nonce(): Promise<string> {
    return ((await this.text('nonce')) ?? '').trim();
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

  /** False when nobody listens. */
  async ring(): Promise<boolean> {
    const bell = await this.bell();
    if (!bell) return false;
    try {
      await bell.write('\n');
    } catch (error) {
      // A full bell has rung already.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    } finally {
      await bell.close();
    }
    return true;
  }

  async life(): Promise<{ life: 'alive' | 'ended' | 'lost'; exitCode: number | null | undefined }> {
    const ended = async () => {
      const text = await this.text('exit');
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

  /** The first byte still in the log. Look after reading: it is written before bytes are dropped. */
  async low(): Promise<number> {
    return Number((await this.text('low')) ?? 0);
  }

  /** Whole lines of `marks` from a byte offset on. */
  async marks(from: number): Promise<{ marks: string; moreMarks: boolean }> {
    const handle = await absentIsUndefined(open(this.path('marks'), 'r'));
    if (!handle) return { marks: '', moreMarks: false };
    try {
      const buffer = Buffer.alloc(Math.max(0, Math.min(maxMarks, (await handle.stat()).size - from)));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
      const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
      return { marks: buffer.toString('latin1', 0, end), moreMarks: bytesRead === maxMarks };
    } finally {
      await handle.close();
    }
  }

  /** The last thing the shell said is that it shows its prompt. */
  async atPrompt(): Promise<boolean> {
    const about = await absentIsUndefined(stat(this.path('marks')));
    const { marks } = await this.marks(Math.max(0, (about?.size ?? 0) - markTail));
    return / A \d+\n$/.test(marks);
  }

  async inbox(): Promise<string[]> {
    return readdir(this.path('inbox'));
  }

  async commandFiles(): Promise<string[]> {
    return readdir(this.path('cmd'));
  }

  async has(name: 'full' | 'nopunch' | 'want-low'): Promise<boolean> {
    return (await absentIsUndefined(lstat(this.path(name)))) !== undefined;
  }

  private text(name: string): Promise<string | undefined> {
    return absentIsUndefined(readFile(this.path(name), 'utf8'));
  }
}
