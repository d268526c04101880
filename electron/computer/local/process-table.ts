import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Blocked } from '../sessions/classify';

const run = promisify(execFile);

/** One row of the host's process table. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** Foreground process group of its terminal, or -1. */
  foreground: number;
  /** First letter as `ps` prints it: R, S, D, T, Z … */
  stat: string;
  /** Kernel ticks; empty where there is no /proc. */
  start: string;
  name: string;
}

/** What the session code wants to know about processes. /proc on Linux, `ps` elsewhere. */
export interface ProcessTable {
  one(pid: number): Promise<ProcessRow | undefined>;
  all(): Promise<ProcessRow[]>;
  commandLine(row: ProcessRow): Promise<string>;
  /** Whether it was started inside the session of that id, also after it left its terminal; without an id: inside any. */
  startedIn(row: ProcessRow, sessionId?: string): Promise<boolean>;
  blocked(row: ProcessRow, tty: string): Promise<Blocked>;
}

export function processTable(): ProcessTable {
  return process.platform === 'linux' ? new ProcTable() : new PsTable();
}

/** Reading something of a process that is gone, or not ours to look at, is an answer, not a failure. */
async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}

/** As the environment of a session's processes says it, with what stands between two variables. */
const mark = (between: string, id?: string) =>
  `${between}WAYMARK_SESSION=${id === undefined ? '' : `${id}${between}`}`;

const terminalReads = new Set(['wait_woken', 'n_tty_read', 'tty_read']);
const polls = new Set(['poll_schedule_timeout', 'do_select', 'do_sys_poll', 'ep_poll', 'do_epoll_wait']);
/** System call numbers of read and readv. */
const readCalls: Partial<Record<string, readonly string[]>> = { x64: ['0', '19'], arm64: ['63', '65'] };

/** poll, select, epoll_wait and their newer forms. */
const pollCalls: Partial<Record<string, readonly string[]>> = {
  x64: ['7', '23', '232', '270', '271', '281'],
  arm64: ['22', '72', '73'],
};

class ProcTable implements ProcessTable {
  async one(pid: number): Promise<ProcessRow | undefined> {
    const text = await orUndefined(readFile(`/proc/${pid}/stat`, 'latin1'));
    if (text === undefined) return undefined;
    // The name may hold spaces and brackets: fields count from the last one.
    const close = text.lastIndexOf(')');
    const fields = text.slice(close + 2).split(' ');
    return {
      pid,
      name: text.slice(text.indexOf('(') + 1, close),
      stat: fields[0] ?? '?',
      parent: Number(fields[1]),
      group: Number(fields[2]),
      session: Number(fields[3]),
      foreground: Number(fields[5]),
      start: fields[19] ?? '',
    };
  }

  async all(): Promise<ProcessRow[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const rows = await Promise.all(pids.map((pid) => this.one(pid)));
    return rows.filter((row) => row !== undefined);
  }

  async commandLine(row: ProcessRow): Promise<string> {
    const text = await orUndefined(readFile(`/proc/${row.pid}/cmdline`, 'utf8'));
    return text?.replace(/\0+$/, '').replaceAll('\0', ' ') || `[${row.name}]`;
  }

  async startedIn(row: ProcessRow, sessionId?: string): Promise<boolean> {
    const text = await orUndefined(readFile(`/proc/${row.pid}/environ`, 'latin1'));
    return text !== undefined && `\0${text}`.includes(mark('\0', sessionId));
  }

  async blocked(row: ProcessRow, tty: string): Promise<Blocked> {
    if (row.stat === 'R') return 'running';
    if (row.stat !== 'S') return row.stat === 'T' || row.stat === 'Z' ? 'elsewhere' : 'running';
    const call = await orUndefined(readFile(`/proc/${row.pid}/syscall`, 'latin1'));
    const place = (await orUndefined(readFile(`/proc/${row.pid}/wchan`, 'latin1')))?.trim();
    if (place !== undefined && polls.has(place)) return 'poll';
    const numbers = readCalls[process.arch];
    // It goes on by now: where it waited a moment ago (a full terminal, say) tells nothing.
    if (call?.startsWith('running')) return 'running';
    if (call !== undefined && numbers !== undefined) {
      const [number, descriptor] = call.trim().split(' ');
      if (pollCalls[process.arch]?.includes(number ?? '')) return 'poll';
      if (!numbers.includes(number ?? '')) return 'elsewhere';
      const target = await orUndefined(readlink(`/proc/${row.pid}/fd/${Number(descriptor)}`));
      return target === tty || target === '/dev/tty' ? 'terminal' : 'elsewhere';
    }
    if (place === undefined || place === '0' || place === '') return 'unknown';
    if (!terminalReads.has(place)) return 'elsewhere';
    // The same place in the kernel serves blocking sockets.
    return (await this.hasSocket(row.pid)) ? 'unknown' : 'terminal';
  }

  private async hasSocket(pid: number): Promise<boolean> {
    const names = (await orUndefined(readdir(`/proc/${pid}/fd`))) ?? [];
    const targets = await Promise.all(names.map((name) => orUndefined(readlink(`/proc/${pid}/fd/${name}`))));
    return names.length === 0 || targets.some((target) => target?.startsWith('socket:'));
  }
}

/** macOS. Only what `ps` tells; what it does not tell stays unknown, so busy. */
class PsTable implements ProcessTable {
  async one(pid: number): Promise<ProcessRow | undefined> {
    return (await this.all()).find((row) => row.pid === pid);
  }

  async all(): Promise<ProcessRow[]> {
    const { stdout } = await run('ps', ['-Axo', 'pid=,ppid=,pgid=,sess=,tpgid=,stat=,comm='], {
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout.split('\n').flatMap((line): ProcessRow[] => {
      const fields = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(-?\d+)\s+(\S+)\s+(.*)$/.exec(line);
      if (!fields) return [];
      return [
        {
          pid: Number(fields[1]),
          parent: Number(fields[2]),
          group: Number(fields[3]),
          session: Number(fields[4]) || -1,
          foreground: Number(fields[5]),
          stat: fields[6]?.charAt(0) ?? '?',
          start: '',
          name: fields[7] ?? '',
        },
      ];
    });
  }

  async commandLine(row: ProcessRow): Promise<string> {
    return (await this.ask(row.pid, 'command=')) || row.name;
  }

  async startedIn(row: ProcessRow, sessionId?: string): Promise<boolean> {
    return ` ${await this.ask(row.pid, 'command=', '-E')} `.includes(mark(' ', sessionId));
  }

  async blocked(row: ProcessRow): Promise<Blocked> {
    if (row.stat === 'R') return 'running';
    const place = await this.ask(row.pid, 'wchan=');
    if (place.startsWith('ttyin')) return 'terminal';
    if (place === 'select' || place === 'poll' || place === 'kqread') return 'poll';
    return 'unknown';
  }

  private async ask(pid: number, column: string, ...options: string[]): Promise<string> {
    try {
      return (await run('ps', [...options, '-o', column, '-p', String(pid)])).stdout.trim();
    } catch (error) {
      // `ps` exits with 1 when the process is gone.
      if ((error as { code?: unknown }).code === 1) return '';
      throw error;
    }
  }
}
