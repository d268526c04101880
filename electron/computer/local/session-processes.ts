import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SessionProcess } from '../port';
import type { ForegroundProcess } from '../sessions/classify';
import type { SessionMeta } from '../sessions/layout';
import type { ProcessRow, ProcessTable } from './process-table';

const run = promisify(execFile);

/** The processes behind one session. */
export class SessionProcesses {
  readonly #table: ProcessTable;
  readonly #meta: SessionMeta;

  constructor(table: ProcessTable, meta: SessionMeta) {
    this.#table = table;
    this.#meta = meta;
  }

  /** The shell itself; `undefined` when its number now belongs to another process. */
  async shell(): Promise<ProcessRow | undefined> {
    const row = await this.#table.one(this.#meta.shell);
    return row && row.start === this.#meta.shellStart && row.stat !== 'Z' ? row : undefined;
  }

  async supervisorRuns(): Promise<boolean> {
    const row = await this.#table.one(this.#meta.supervisor);
    return row !== undefined && row.start === this.#meta.supervisorStart && row.stat !== 'Z';
  }

  /** The foreground process group of the terminal. At a prompt that is the shell alone. */
  async foreground(): Promise<ForegroundProcess[]> {
    const shell = await this.shell();
    if (!shell) return [];
    const rows =
      shell.foreground === shell.group
        ? [shell]
        : (await this.#table.all()).filter((row) => row.group === shell.foreground && row.stat !== 'Z');
    return Promise.all(
      rows.map(async (row) => ({
        ...(await this.#describe(row)),
        isShell: row.pid === shell.pid,
        blocked: await this.#table.blocked(row, this.#meta.tty),
      })),
    );
  }

  /** Everything the session started that still runs, background and detached processes included; not the shell. */
  async started(): Promise<ProcessRow[]> {
    const rows = await this.#table.all();
    const children = new Map<number, ProcessRow[]>();
    for (const row of rows) {
      const siblings = children.get(row.parent);
      if (siblings) siblings.push(row);
      else children.set(row.parent, [row]);
    }
    const found = new Map<number, ProcessRow>();
    const add = (row: ProcessRow) => {
      if (found.has(row.pid) || row.pid === this.#meta.supervisor) return;
      found.set(row.pid, row);
      for (const child of children.get(row.pid) ?? []) add(child);
    };
    for (const child of children.get(this.#meta.shell) ?? []) add(child);
    for (const row of rows) if (row.session === this.#meta.shell) add(row);
    // Whoever left the terminal (setsid, daemons) still carries the session's mark.
    await Promise.all(
      rows.map(async (row) => {
        if (row.parent === 2 || row.pid === 2 || found.has(row.pid)) return;
        if (await this.#table.startedIn(row, this.#meta.id)) add(row);
      }),
    );
    found.delete(this.#meta.shell);
    return [...found.values()].filter((row) => row.stat !== 'Z');
  }

  describe(rows: readonly ProcessRow[]): Promise<SessionProcess[]> {
    return Promise.all(rows.map((row) => this.#describe(row)));
  }

  async #describe(row: ProcessRow): Promise<SessionProcess> {
    return { pid: row.pid, stat: row.stat, command: await this.#table.commandLine(row) };
  }

  /** The terminal's mode; `undefined` once it is gone. */
  async terminal(): Promise<{ lineMode: boolean; echo: boolean } | undefined> {
    const text = await this.#stty('-a');
    if (text === undefined) return undefined;
    return { lineMode: /(^|\s)icanon\b/.test(text), echo: /(^|\s)echo\b/.test(text) };
  }

  async resize(rows: number, cols: number): Promise<void> {
    await this.#stty('rows', String(rows), 'cols', String(cols));
  }

  async #stty(...args: string[]): Promise<string | undefined> {
    const device = process.platform === 'darwin' ? '-f' : '-F';
    try {
      const options = { env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' } };
      return (await run('stty', [device, this.#meta.tty, ...args], options)).stdout;
    } catch (error) {
      // stty reports a terminal that went away by its exit code; not being there at all is another matter.
      if (typeof (error as { code?: unknown }).code === 'number') return undefined;
      throw error;
    }
  }
}

/** Sends a signal to a process or, with a negative number, to a group; `false` when it is gone or not ours. */
export function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}
