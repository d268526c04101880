import { readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes that SQLite locks for writing, copying and recovering a write-ahead log, in the file of its shared memory. */
const OF_THE_LOG: readonly [number, number] = [120, 122];
/** And to write the main file itself. */
const OF_THE_FILE: readonly [number, number] = [0x40000000, 0x40000200];

/** A process that holds a workspace's write lock. */
export interface LockHolder {
  pid: number;
  /** Its command line, shortened. */
  command: string;
  /** When it was started, ms since 1970. */
  startedAt: number;
  /** Halted by a signal or a debugger: it lets go of nothing until it goes on. */
  halted: boolean;
}

/**
 * Who holds the lock right now, as far as this system tells it: Linux does, of processes that this one can see. Null: nobody, or
 * nothing is known.
 */
export function lockHolder(folder: string): LockHolder | null {
  if (process.platform !== 'linux') return null;
  const locks = textOf('/proc/locks');
  if (locks === null) return null;
  const pid =
    holderOf(locks, join(folder, 'workspace.db-shm'), OF_THE_LOG) ??
    holderOf(locks, join(folder, 'workspace.db'), OF_THE_FILE);
  return pid === null ? null : about(pid);
}

/** For a sentence: ": process 12 (waymark import x.json, started 18:05 UTC)"; '' when nothing is known. */
export function holderWords(holder: LockHolder | null): string {
  if (holder === null) return '';
  const { pid, command, startedAt, halted } = holder;
  const started = new Date(startedAt).toISOString().slice(0, 16).replace('T', ' ');
  return `: process ${pid} (${command}), started ${started} UTC${halted ? `; it is halted: let it continue (kill -CONT ${pid}) or end it` : ''}`;
}

/** Lines such as `7: POSIX  ADVISORY  WRITE 2513 00:32:1177 120 120`. */
function holderOf(locks: string, path: string, [first, last]: readonly [number, number]): number | null {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return null;
  for (const line of locks.split('\n')) {
    const found = /^\d+: POSIX +\w+ +WRITE +(\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) (\d+) (\d+|EOF)$/.exec(
      line.trim(),
    );
    if (found === null) continue;
    const [, pid = '0', major = '', minor = '', inode = '', from = '', to = ''] = found;
    const isSame =
      Number(inode) === file.ino && isOn(file, Number.parseInt(major, 16), Number.parseInt(minor, 16));
    const end = to === 'EOF' ? Number.POSITIVE_INFINITY : Number(to);
    // A process of another container is 0.
    if (isSame && Number(from) <= last && end >= first && Number(pid) > 0) return Number(pid);
  }
  return null;
}

/** Device numbers as Linux packs them. */
function isOn({ dev }: Stats, major: number, minor: number): boolean {
  const device = BigInt(dev);
  const ownMajor = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
  const ownMinor = (device & 0xffn) | ((device >> 12n) & ~0xffn);
  return ownMajor === BigInt(major) && (ownMinor & 0xffffffffn) === BigInt(minor);
}

function about(pid: number): LockHolder | null {
  const line = textOf(`/proc/${pid}/cmdline`);
  const status = textOf(`/proc/${pid}/status`);
  const startedAt = startOf(pid);
  // It has just ended.
  if (line === null || status === null || startedAt === null) return null;
  const words = line.split('\0').join(' ').trim();
  const command = words.length > 120 ? `${words.slice(0, 119)}…` : words;
  return { pid, command, startedAt, halted: /^State:\s+[Tt]/m.test(status) };
}

/** Field 22 counts hundredths of a second since the system was started. */
function startOf(pid: number): number | null {
  const stat = textOf(`/proc/${pid}/stat`);
  const boot = /^btime (\d+)$/m.exec(textOf('/proc/stat') ?? '');
  const ticks = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return boot === null || Number.isNaN(ticks) ? null : Number(boot[1]) * 1000 + ticks * 10;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    // A process that ended, or a system that does not tell.
    if (thrown instanceof Error && 'code' in thrown) return null;
    throw thrown;
  }
}
