import { lstat, opendir, readdir, readlink, stat, statfs } from 'node:fs/promises';

/** Also an empty file takes a place on the disk, and there can be too many of them. */
const leastBytes = 4096;
/** What an evaluation leaves free for everybody else on that disk, bytes. */
const reserveBytes = 256 * 1024 ** 2;
/** `f_type` of a file system in memory. */
const TMPFS = 0x01021994;
/** Of a sandbox: what is in memory there is written as well. */
const memoryPlaces = ['/dev/shm', '/tmp', '/var/tmp'];

/** What an evaluation may write, in its folder and, in a sandbox, wherever else it can. */
export class WrittenLimit {
  private before = 0;
  private roomy = false;

  /** `folder`: of the evaluation, and nobody else writes there. `most`: bytes. */
  constructor(
    readonly folder: string,
    readonly most: number,
  ) {}

  /** What is there now does not count. */
  async begin(): Promise<void> {
    this.before = (await writtenBelow(this.folder)).bytes;
    this.roomy = (await freeOn(this.folder)) >= reserveBytes;
  }

  /** What `work` writes into the folder does not count; nothing else writes meanwhile. */
  async exempt<T>(work: () => Promise<T>): Promise<T> {
    const before = (await writtenBelow(this.folder)).bytes;
    const made = await work();
    this.before += (await writtenBelow(this.folder)).bytes - before;
    return made;
  }

  /** What does not count by now, bytes: what a computer was sent of it is no more than that. */
  sent(): number {
    return this.before;
  }

  /**
   * What was passed, a sentence without its stop; null while it is within the limit. `first`: of a sandbox, the first process
   * inside.
   */
  async why(first?: number): Promise<string | null> {
    const [hidden, memory] = first === undefined ? [0, 0] : await this.besides(first);
    const room = this.before + this.most - hidden - memory;
    const { bytes, unknown } = await writtenBelow(this.folder, room);
    if (bytes >= room) return `it wrote more than ${sizeOf(this.most)}`;
    if (unknown !== undefined) return unknown;
    if (this.roomy && (await freeOn(this.folder)) < reserveBytes)
      return `less than ${sizeOf(reserveBytes)} were left on the disk`;
    return null;
  }

  /** Files that are open but have no name any more, and what is kept in memory, bytes. */
  private async besides(first: number): Promise<[number, number]> {
    const { dev } = await stat(this.folder);
    return Promise.all([nameless(first, dev), inMemory(first, dev)]);
  }
}

/** `4 GB`, `20 MB`. */
export function sizeOf(bytes: number): string {
  const [size, unit] = bytes >= 1024 ** 3 ? [bytes / 1024 ** 3, 'GB'] : [bytes / 1024 ** 2, 'MB'];
  return `${Math.round(size * 10) / 10} ${unit}`;
}

interface Written {
  /** On the disk; no more is counted than `enough`. */
  bytes: number;
  /** What could not be measured, and so may be anything; as `why`. */
  unknown: string | undefined;
}

/** What lies below a folder, by the blocks that it takes. No link is followed; what goes while it is looked at is gone. */
export async function writtenBelow(folder: string, enough = Number.POSITIVE_INFINITY): Promise<Written> {
  const seen = new Set<string>();
  const folders = [Buffer.from(folder)];
  let bytes = 0;
  let unknown: string | undefined;
  for (let next = folders.pop(); next !== undefined && bytes < enough; next = folders.pop()) {
    try {
      for await (const { name } of (await gone(opendir(next, asBytes))) ?? []) {
        // Names need be no text; with this encoding they are bytes.
        const path = Buffer.concat([next, Buffer.from('/'), name as unknown as Buffer]);
        const about = await gone(lstat(path));
        if (about === undefined) continue;
        const isFolder = about.isDirectory();
        if (isFolder) folders.push(path);
        if (!isFolder && about.nlink > 1) {
          const key = `${about.dev}:${about.ino}`;
          if (seen.has(key)) continue;
          seen.add(key);
        }
        bytes += Math.max(leastBytes, about.blocks * 512);
        if (bytes >= enough) break;
      }
    } catch (error) {
      unknown ??= hides(next, error);
    }
  }
  return { bytes, unknown };
}

const asBytes = { encoding: 'buffer' as BufferEncoding };

/** That a folder hides what is in it, a sentence. */
function hides(path: Buffer, error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  const name = path.toString().slice(-200);
  if (code === 'ENAMETOOLONG') return `it made folders in folders too deep to be measured (…${name})`;
  if (code === 'EACCES' || code === 'EPERM')
    return `it closed a folder, so that what is in it could not be measured (${name})`;
  throw error;
}

/** Undefined when what is looked at is not there any more, or is something else by now. */
async function gone<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ESRCH'].includes(code)) return undefined;
    throw error;
  }
}

/** A process ends, or is not ours to look at. */
async function ofProcess<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await gone(looking);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['EACCES', 'EPERM', 'EINVAL'].includes(code)) return undefined;
    throw error;
  }
}

async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Files on that device that processes of the sandbox hold open after they took away their names. */
async function nameless(first: number, device: number): Promise<number> {
  const space = await ofProcess(readlink(`/proc/${first}/ns/pid`));
  if (space === undefined) return 0;
  const sizes = new Map<number, number>();
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || (await ofProcess(readlink(`/proc/${pid}/ns/pid`))) !== space) continue;
    for (const number of (await ofProcess(readdir(`/proc/${pid}/fd`))) ?? []) {
      const about = await ofProcess(stat(`/proc/${pid}/fd/${number}`));
      if (about?.isFile() === true && about.nlink === 0 && about.dev === device)
        sizes.set(about.ino, about.blocks * 512);
    }
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

/** What lies in the sandbox's own file systems in memory. */
async function inMemory(first: number, device: number): Promise<number> {
  const sizes = new Map<number, number>();
  for (const place of memoryPlaces) {
    const path = `/proc/${first}/root${place}`;
    const [about, outside] = [await ofProcess(stat(path)), await gone(stat(place))];
    // As long as the sandbox is being made these are the machine's own.
    if (about === undefined || about.dev === device || about.dev === outside?.dev) continue;
    const system = await ofProcess(statfs(path));
    if (system?.type === TMPFS) sizes.set(about.dev, (system.blocks - system.bfree) * system.bsize);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}
