import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ShellProcess, StartedProcess } from '../sessions/backend';
import type { ForegroundProcess } from '../sessions/classify';
import type { SessionMeta } from '../sessions/layout';
import type { ProcessRow, ProcessTable } from './process-table';

const run = promisify(execFile);

/** The processes behind one session that was made since this computer's last start. */
export class SessionProcesses {
  private readonly table: ProcessTable;
  private readonly meta: SessionMeta;

  constructor(table: ProcessTable, meta: SessionMeta) {
    this.table = table;
    this.meta = meta;
  }

  /** The shell and the supervisor as long as they live: their numbers may belong to other processes now. */
  async holders(): Promise<{ shell: ShellProcess | undefined; supervisor: boolean }> {
    const row = await this.table.one(this.meta.supervisor);
    const supervisor = row !== undefined && row.start === this.meta.supervisorStart && row.stat !== 'Z';
    const shell = await this.shell();
    if (!shell) return { shell, supervisor };
    return { shell: { ...(await this.describe(shell)), foreground: shell.foreground }, supervisor };
  }

  private async shell(): Promise<ProcessRow | undefined> {
    const row = await this.table.one(this.meta.shell);
    return row && row.start === this.meta.shellStart && row.stat !== 'Z' ? row : undefined;
  }

  /** The foreground process group of the terminal. At a prompt that is the shell alone. */
  async foreground(): Promise<ForegroundProcess[]> {
    const shell = await this.shell();
    if (!shell) return [];
    const rows =
      shell.foreground === shell.group
        ? [shell]
        : (await this.table.all()).filter((row) => row.group === shell.foreground && row.stat !== 'Z');
    return Promise.all(
      rows.map(async (row) => ({
        pid: row.pid,
        stat: row.stat,
        command: await this.table.commandLine(row),
        isShell: row.pid === shell.pid,
        blocked: await this.table.blocked(row, this.meta.tty),
      })),
    );
  }

  /** Everything the session started that still runs, background and detached processes included; not the shell. */
  async started(): Promise<StartedProcess[]> {
    const rows = await this.table.all();
    const children = new Map<number, ProcessRow[]>();
    for (const row of rows) {
      const siblings = children.get(row.parent);
      if (siblings) siblings.push(row);
      else children.set(row.parent, [row]);
    }
    const found = new Map<number, ProcessRow>();
    const add = (row: ProcessRow) => {
      if (found.has(row.pid) || row.pid === this.meta.supervisor) return;
      found.set(row.pid, row);
      for (const child of children.get(row.pid) ?? []) add(child);
    };
    // A number that went to another process was free: then nothing is left that it could tell.
    const namesake = rows.find((row) => row.pid === this.meta.shell && row.start !== this.meta.shellStart);
    if (!namesake) {
      for (const child of children.get(this.meta.shell) ?? []) add(child);
      for (const row of rows) if (row.session === this.meta.shell) add(row);
    }
    // All that runs in its sandbox hangs from the first process there, whatever it did to its environment and its group.
    const init = rows.find((row) => row.pid === this.meta.init && row.start === this.meta.initStart);
    if (init) for (const child of children.get(init.pid) ?? []) add(child);
    // Whoever left the terminal (setsid, daemons) still carries the session's mark.
    await Promise.all(
      rows.map(async (row) => {
        if (row.parent === 2 || row.pid === 2 || found.has(row.pid)) return;
        if (await this.table.startedIn(row, this.meta.id)) add(row);
      }),
    );
    if (!namesake) found.delete(this.meta.shell);
    return Promise.all(
      [...found.values()].filter((row) => row.stat !== 'Z').map((row) => this.describe(row)),
    );
  }

  private async describe(row: ProcessRow): Promise<StartedProcess> {
    const { pid, parent, group, stat } = row;
    return { pid, parent, group, stat, command: await this.table.commandLine(row) };
  }

  /** The terminal's mode; `undefined` once it is gone. */
  async terminal(): Promise<{ lineMode: boolean; echo: boolean } | undefined> {
    const text = await stty(this.meta.tty, '-a');
    if (text === undefined) return undefined;
    return { lineMode: /(^|\s)icanon\b/.test(text), echo: /(^|\s)echo\b/.test(text) };
  }
}

/** Runs `stty` on a terminal; `undefined` once that is gone. */
export async function stty(tty: string, ...args: string[]): Promise<string | undefined> {
  const device = process.platform === 'darwin' ? '-f' : '-F';
  try {
    const options = { env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' } };
    return (await run('stty', [device, tty, ...args], options)).stdout;
  } catch (error) {
    // stty reports a terminal that went away by its exit code; not being there at all is another matter.
    if (typeof (error as { code?: unknown }).code === 'number') return undefined;
    throw error;
  }
}

/** Sends a signal to a process or, with a negative number, to a group. What is gone or not ours is passed over. */
export function sendSignal(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
