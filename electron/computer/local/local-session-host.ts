import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { constants } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SessionError } from '../failures';
import type {
  CommandOutcome,
  CommandRecord,
  SessionBytes,
  SessionChunk,
  SessionHost,
  SessionInfo,
  SessionSpec,
  SessionState,
  SignalOutcome,
} from '../port';
import { sessionEnvironment } from '../sessions/environment';
import { decodeSessionName, encodeSessionName } from '../sessions/layout';
import { LocalSession } from './local-session';
import { type ProcessTable, processTable } from './process-table';
import { endSession, signalSession } from './session-end';
import { absentIsUndefined, SessionFiles } from './session-files';
import { type SupervisorKind, startSupervisor } from './supervisor';

const firstPromptMs = 15_000;
/** A directory without `meta` is being made, or what a crash left of that. */
const unfinishedMs = 10_000;

export interface LocalSessionOptions {
  /** Directory of all sessions (made if missing). Not on a network file system. */
  sessionsDir: string;
  /** The application's `resources` directory. */
  resourcesDir: string;
  /** Tried in this order. */
  supervisors: readonly SupervisorKind[];
  /** Where sessions' environments are taken from; only listed names pass. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** Sessions of this computer, found by their directories, so that every process and every start sees the same ones. */
export class LocalSessionHost implements SessionHost {
  readonly #options: LocalSessionOptions;
  readonly #table: ProcessTable = processTable();
  /** By session id. */
  readonly #open = new Map<string, LocalSession>();
  readonly #disposed = new AbortController();
  #prepared: Promise<string> | undefined;

  constructor(options: LocalSessionOptions) {
    this.#options = options;
    // Every follower and waiter listens; that many are no leak.
    setMaxListeners(0, this.#disposed.signal);
  }

  async create(spec: SessionSpec): Promise<SessionInfo> {
    const directory = join(this.#options.sessionsDir, encodeSessionName(spec.name));
    const environment = sessionEnvironment(spec.name, this.#options.environment, spec.env);
    this.#prepared ??= this.#prepare();
    const start = {
      spec,
      directory,
      environment,
      startFile: await this.#prepared,
      bash: await findBash(spec.name),
    };
    const { supervisors, resourcesDir } = this.#options;
    let verdict = await startSupervisor(supervisors, resourcesDir, start);
    if (verdict === 'exists' && (await this.#clearUnfinished(directory))) {
      verdict = await startSupervisor(supervisors, resourcesDir, start);
    }
    const session = await this.#find(spec.name);
    if (verdict === 'exists' || !session) {
      const { life } = (await session?.files.life()) ?? { life: 'alive' };
      throw new SessionError(
        'session_exists',
        spec.name,
        life === 'alive'
          ? `Session "${spec.name}" already exists. Use it, or choose another name.`
          : `Session "${spec.name}" exists but is over (${life}). Close it first, or choose another name.`,
      );
    }
    await this.#firstPrompt(session);
    return session.info();
  }

  async #firstPrompt(session: LocalSession): Promise<void> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), firstPromptMs);
    for (;;) {
      await session.log.catchUp();
      if (!session.log.index.starting || limit.signal.aborted) break;
      if ((await session.files.life()).life !== 'alive') break;
      await session.log.changed(limit.signal);
    }
    clearTimeout(timer);
  }

  /** The root directory and the shell's start file, named by content so that versions do not disturb each other. */
  async #prepare(): Promise<string> {
    const { sessionsDir, resourcesDir } = this.#options;
    await mkdir(sessionsDir, { recursive: true, mode: 0o700 });
    const source = await readFile(join(resourcesDir, 'sessions', 'session.bash'));
    const digest = createHash('sha256').update(source).digest('hex').slice(0, 16);
    const path = join(sessionsDir, `.start-${digest}.bash`);
    if (!(await absentIsUndefined(stat(path)))) {
      const draft = `${path}.${process.pid}`;
      await writeFile(draft, source, { mode: 0o600 });
      await rename(draft, path);
    }
    return path;
  }

  async #clearUnfinished(directory: string): Promise<boolean> {
    const files = new SessionFiles(directory);
    const about = await absentIsUndefined(stat(directory));
    if (!about) return true;
    const abandoned = Date.now() - about.mtimeMs > unfinishedMs;
    if (!abandoned || (await files.meta()) || (await files.listened())) return false;
    await rm(directory, { recursive: true, force: true });
    return true;
  }

  async #find(name: string): Promise<LocalSession | undefined> {
    const files = new SessionFiles(join(this.#options.sessionsDir, encodeSessionName(name)));
    const meta = await files.meta();
    if (!meta) return undefined;
    const known = this.#open.get(meta.id);
    if (known) return known;
    const nonce = await files.nonce();
    // Somebody else may have opened it during that read.
    const session = this.#open.get(meta.id) ?? new LocalSession(name, files, meta, nonce, this.#table);
    this.#open.set(meta.id, session);
    return session;
  }

  async #need(name: string): Promise<LocalSession> {
    const session = await this.#find(name);
    if (session) return session;
    throw new SessionError('session_not_found', name, `There is no session "${name}" on this computer.`);
  }

  async list(): Promise<SessionInfo[]> {
    const entries = (await absentIsUndefined(readdir(this.#options.sessionsDir))) ?? [];
    const names = entries.map(decodeSessionName).filter((name) => name !== undefined);
    const sessions = await Promise.all(names.map((name) => this.#find(name)));
    const infos = await Promise.all(sessions.map((session) => session?.info()));
    return infos.filter((info) => info !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async find(name: string): Promise<SessionInfo | undefined> {
    return (await this.#find(name))?.info();
  }

  async state(name: string): Promise<SessionState> {
    return (await this.#need(name)).state();
  }

  async read(name: string, offset: number, maxBytes: number): Promise<SessionBytes> {
    return (await this.#need(name)).log.read(offset, maxBytes);
  }

  async follow(
    name: string,
    offset: number,
    onChunk: (chunk: SessionChunk) => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<{ reason: 'ended' | 'aborted'; offset: number }> {
    const session = await this.#need(name);
    const stop = new AbortController();
    const abort = () => stop.abort();
    if (signal.aborted || this.#disposed.signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    this.#disposed.signal.addEventListener('abort', abort, { once: true });
    try {
      return await session.log.follow(offset, onChunk, stop.signal);
    } finally {
      signal.removeEventListener('abort', abort);
      this.#disposed.signal.removeEventListener('abort', abort);
    }
  }

  async write(
    name: string,
    bytes: Uint8Array,
    inputSeq?: number,
  ): Promise<{ inputSeq: number; delivered: boolean }> {
    return (await this.#need(name)).write(bytes, inputSeq);
  }

  async run(name: string, command: string): Promise<{ commandSeq: number; offset: number }> {
    return (await this.#need(name)).run(command);
  }

  async waitCommand(
    name: string,
    commandSeq: number,
    options: { signal?: AbortSignal; timeoutMs?: number },
  ): Promise<CommandOutcome> {
    return (await this.#need(name)).waitCommand(commandSeq, options, this.#disposed.signal);
  }

  async commands(name: string): Promise<CommandRecord[]> {
    return (await this.#need(name)).commands();
  }

  async resize(name: string, rows: number, cols: number): Promise<void> {
    for (const size of [rows, cols]) {
      if (!Number.isInteger(size) || size < 1 || size > 2000) {
        throw new RangeError(`A terminal has 1 to 2000 rows and columns, not ${size}.`);
      }
    }
    await (await this.#need(name)).processes.resize(rows, cols);
  }

  async signal(
    name: string,
    signal: 'INT' | 'TERM' | 'KILL',
    options: { graceMs?: number } = {},
  ): Promise<SignalOutcome> {
    return signalSession(await this.#need(name), signal, options.graceMs);
  }

  async close(name: string): Promise<{ id: string; exitCode: number | null; endOffset: number }> {
    const session = await this.#need(name);
    const { id } = session.meta;
    await endSession(session);
    const { exitCode } = await session.files.life();
    const { size } = await session.files.log();
    await session.files.archive(this.#options.sessionsDir, id);
    this.#open.delete(id);
    await session.dispose();
    return { id, exitCode: exitCode ?? null, endOffset: size };
  }

  async discardClosed(before: number): Promise<number> {
    const { sessionsDir } = this.#options;
    const entries = (await absentIsUndefined(readdir(sessionsDir))) ?? [];
    let count = 0;
    for (const entry of entries) {
      if (!entry.startsWith('.closed-') && !entry.includes('.failed.')) continue;
      const path = join(sessionsDir, entry);
      // A rename sets the change time: the moment of closing.
      const about = await absentIsUndefined(stat(path));
      if (!about || about.ctimeMs >= before) continue;
      await rm(path, { recursive: true, force: true });
      if (entry.startsWith('.closed-')) count += 1;
    }
    return count;
  }

  async dispose(): Promise<void> {
    this.#disposed.abort();
    await Promise.all([...this.#open.values()].map((session) => session.dispose()));
    this.#open.clear();
  }
}

async function findBash(session: string): Promise<string> {
  for (const path of ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash']) {
    try {
      await access(path, constants.X_OK);
      return path;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'ENOTDIR') throw error;
    }
  }
  throw new SessionError(
    'shell_missing',
    session,
    'Sessions need bash, and none was found in /bin or /usr/bin. Install it.',
  );
}
