import { lstat, mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { remove, removeAt } from '../../files/remove';
import { SessionError } from '../failures';
import type { SessionChunk } from '../port';
import type {
  CommandOrder,
  LookOrder,
  SessionBackend,
  SessionIdentity,
  SessionLook,
  SessionWatch,
  ShellProcess,
  StartedProcess,
  StartOrder,
} from '../sessions/backend';
import { decodeSessionName, lastCommandFile, readInbox, type SessionMeta } from '../sessions/layout';
import { dropLog } from './drop-log';
import { followLog, readLog } from './follow-log';
import { type ProcessTable, processTable } from './process-table';
import { absentIsUndefined, SessionFiles } from './session-files';
import { queueCommand, queueInput } from './session-input';
import { SessionProcesses, sendSignal, stty } from './session-processes';
import { SpoolWatch } from './spool-watch';
import { defaultLimit, findBash, placeStartFile } from './start-needs';
import { dropWithoutSupervisor, type SupervisorKind, startSupervisor } from './supervisor';

/** A directory without `meta` is being made, or what a crash left of that. */
const unfinishedMs = 10_000;

export interface LocalSessionOptions {
  /** Directory of all sessions (made if missing). Not on a network file system. */
  sessionsDir: string;
  /** The application's `resources` directory. */
  resourcesDir: string;
  /** Tried in this order. */
  supervisors: readonly SupervisorKind[];
  /** What goes in front of the shell; empty: nothing. */
  wrap?: () => readonly string[];
}

/** Sessions of the computer the application runs on. */
export class LocalSessionBackend implements SessionBackend {
  private readonly options: LocalSessionOptions;
  private readonly table: ProcessTable = processTable();
  private startFile: Promise<string> | undefined;

  constructor(options: LocalSessionOptions) {
    this.options = options;
  }

  async prepareRoot(): Promise<string> {
    await mkdir(this.options.sessionsDir, { recursive: true, mode: 0o700 });
    return this.options.sessionsDir;
  }

  async start(order: StartOrder): Promise<'started' | 'exists'> {
    const { supervisors, resourcesDir, sessionsDir } = this.options;
    this.startFile ??= placeStartFile(sessionsDir, resourcesDir);
    const [startFile, bash, limitBytes] = await Promise.all([
      this.startFile,
      findBash(order.name),
      order.limitBytes || defaultLimit(sessionsDir),
    ]);
    const wrap = this.options.wrap?.() ?? [];
    const start = { order: { ...order, limitBytes }, startFile, bash, wrap };
    const verdict = await startSupervisor(supervisors, resourcesDir, start);
    if (verdict === 'started') return verdict;
    return (await new SessionFiles(order.directory).meta())?.id === order.id ? 'started' : 'exists';
  }

  async clearUnfinished(directory: string): Promise<boolean> {
    const files = new SessionFiles(directory);
    const about = await absentIsUndefined(stat(directory));
    if (!about) return true;
    const abandoned = Date.now() - about.mtimeMs > unfinishedMs;
    if (!abandoned || (await files.meta()) || (await files.listened())) return false;
    await removeAt(directory, { kind: 'folder' });
    return true;
  }

  async directories(): Promise<string[]> {
    const entries = (await absentIsUndefined(readdir(this.options.sessionsDir))) ?? [];
    return entries.filter((entry) => !entry.startsWith('.'));
  }

  async identify(directory: string): Promise<SessionIdentity | undefined> {
    const files = new SessionFiles(directory);
    const meta = await files.meta();
    return meta && { meta, nonce: await files.nonce() };
  }

  async look(directory: string, { marksFrom, processes }: LookOrder): Promise<SessionLook | undefined> {
    return absentIsUndefined(this.lookAt(new SessionFiles(directory), marksFrom, processes));
  }

  private async lookAt(
    files: SessionFiles,
    marksFrom: number,
    wantProcesses: boolean,
  ): Promise<SessionLook | undefined> {
    const meta = await files.meta();
    if (!meta) return undefined;
    const rebooted = await isOthers(meta);
    const processes = wantProcesses && !rebooted ? new SessionProcesses(this.table, meta) : undefined;
    const foreground = (await processes?.foreground()) ?? [];
    // Asking costs a process, and at a prompt the answer tells nothing.
    const terminal = (await files.atPrompt()) ? undefined : await processes?.terminal();
    const [inbox, commandFiles] = await Promise.all([files.inbox(), files.commandFiles()]);
    const { accepted, pending } = readInbox(inbox);
    const commandSeq = lastCommandFile(commandFiles);
    const sent = await absentIsUndefined(stat(files.path('cmd', String(commandSeq))));
    const { life, exitCode } = await files.life();
    const { marks, moreMarks } = await files.marks(marksFrom);
    const { size, mtimeMs } = await files.log();
    const alive = life === 'alive';
    return {
      id: meta.id,
      life,
      exitCode,
      rebooted,
      size,
      mtimeMs,
      dropped: await files.low(),
      diskFull: await files.has('full'),
      marks,
      moreMarks,
      inputSeq: accepted,
      pendingInputs: pending.length,
      commandSeq,
      commandAgeMs: sent ? Date.now() - sent.mtimeMs : 0,
      foreground: alive ? foreground : [],
      terminal: alive ? terminal : undefined,
    };
  }

  async read(directory: string, offset: number, maxBytes: number) {
    return inSession(directory, readLog(new SessionFiles(directory), offset, maxBytes));
  }

  async follow(
    directory: string,
    offset: number,
    onChunk: (chunk: SessionChunk) => void | Promise<void>,
    signal: AbortSignal,
    onGap?: (gap: { from: number; to: number }) => void | Promise<void>,
  ): Promise<{ reason: 'ended' | 'aborted'; offset: number }> {
    return inSession(directory, followLog(directory, offset, [onChunk, signal, onGap]));
  }

  watch(directory: string): SessionWatch {
    return new SpoolWatch(directory, { growth: false });
  }

  async input(session: string, directory: string, bytes: Uint8Array, wanted: number | undefined) {
    return inSession(directory, queueInput(session, new SessionFiles(directory), bytes, wanted));
  }

  async command(session: string, directory: string, order: CommandOrder): Promise<'sent' | 'taken'> {
    return inSession(directory, queueCommand(session, new SessionFiles(directory), order));
  }

  async resize(_directory: string, tty: string, rows: number, cols: number): Promise<void> {
    await stty(tty, 'rows', String(rows), 'cols', String(cols));
  }

  async started(meta: SessionMeta): Promise<StartedProcess[]> {
    return (await isOthers(meta)) ? [] : new SessionProcesses(this.table, meta).started();
  }

  async holders(meta: SessionMeta): Promise<{ shell: ShellProcess | undefined; supervisor: boolean }> {
    if (await isOthers(meta)) return { shell: undefined, supervisor: false };
    return new SessionProcesses(this.table, meta).holders();
  }

  async kill(targets: Parameters<SessionBackend['kill']>[0]): Promise<void> {
    for (const { pid, signal } of targets) sendSignal(pid, `SIG${signal}`);
  }

  async archive(directory: string, id: string): Promise<void> {
    // The name may be another session's by now.
    if ((await new SessionFiles(directory).meta())?.id !== id) return;
    await rename(directory, join(dirname(directory), `.closed-${id}`));
  }

  async discardArchived(before: number): Promise<number> {
    const { sessionsDir } = this.options;
    const entries = (await absentIsUndefined(readdir(sessionsDir))) ?? [];
    let count = 0;
    for (const entry of entries) {
      if (!entry.startsWith('.closed-') && !entry.includes('.failed.')) continue;
      const path = join(sessionsDir, entry);
      // A rename sets the change time: the moment of closing.
      const about = await absentIsUndefined(lstat(path));
      if (!about || about.ctimeMs >= before) continue;
      await remove(sessionsDir, [entry]);
      if (entry.startsWith('.closed-')) count += 1;
    }
    return count;
  }

  async drop(directory: string, upTo: number): Promise<{ dropped: number }> {
    const { supervisors, resourcesDir } = this.options;
    const files = new SessionFiles(directory);
    return inSession(
      directory,
      dropLog(files, upTo, () => dropWithoutSupervisor(supervisors, resourcesDir, directory, upTo)),
    );
  }
}

/** A directory that is gone is a session that is gone. */
async function inSession<T>(directory: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!missing || (await absentIsUndefined(stat(directory)))) throw error;
    const name = decodeSessionName(basename(directory)) ?? directory;
    throw new SessionError(
      'session_not_found',
      name,
      `There is no session "${name}" on this computer (any more).`,
    );
  }
}

let known: Promise<string> | undefined;

/** Address of this computer's boot; empty where the system does not tell. */
export function bootId(): Promise<string> {
  known ??= absentIsUndefined(readFile('/proc/sys/kernel/random/boot_id', 'utf8')).then(
    (text) => text?.trim() ?? '',
  );
  return known;
}

/** This computer has restarted since, or the directory is a copy of a session's: the process numbers belong to others. */
async function isOthers({ boot, copied }: SessionMeta): Promise<boolean> {
  if (copied === true) return true;
  const now = await bootId();
  return boot !== '' && now !== '' && boot !== now;
}
