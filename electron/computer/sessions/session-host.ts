import { setMaxListeners } from 'node:events';
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
import type { SessionBackend } from './backend';
import { decodeSessionName } from './layout';
import { type OpenSession, OpenSessions } from './open-sessions';
import { endSession, type SessionEnd, signalSession } from './session-end';
import { SessionStarts, untilFirstPrompt } from './session-start';

const defaultKeptBytes = 64 * 1024 * 1024;

export interface SessionLimits {
  /** `stored` keeps at least this much of the end of a log. Default 64 MB. */
  keptBytes?: number;
  /** Bytes of a log that may wait unfetched before the oldest are dropped. Default 0: see `StartOrder.limitBytes`. */
  unfetchedBytes?: number;
}

export interface BackedSessionHostOptions {
  backend: SessionBackend;
  /** The computer's name, for messages. */
  computer: string;
  /** What a new session is given; `environment.ts` has both kinds. @throws SessionError invalid_command */
  environment: (spec: SessionSpec) => Record<string, string>;
  limits?: SessionLimits | undefined;
}

/**
 * Durable sessions of any host, found by their directories, so that every process and every start sees the same ones. The
 * host may be away at any call: that call throws `ComputerUnavailable`, and nothing that was asked is done twice.
 */
export class BackedSessionHost implements SessionHost {
  private readonly options: BackedSessionHostOptions;
  private readonly open: OpenSessions;
  /** Sessions whose removal went unanswered, by name. */
  private readonly unsureEnds = new Map<string, SessionEnd & { id: string }>();
  private readonly starts: SessionStarts;
  private readonly disposed = new AbortController();

  constructor(options: BackedSessionHostOptions) {
    const { backend, computer, limits } = options;
    this.options = options;
    this.open = new OpenSessions({ backend, computer, keptBytes: limits?.keptBytes ?? defaultKeptBytes });
    this.starts = new SessionStarts(backend, limits?.unfetchedBytes ?? 0);
    // Every follower and waiter listens; that many are no leak.
    setMaxListeners(0, this.disposed.signal);
  }

  async create(spec: SessionSpec): Promise<SessionInfo> {
    const env = this.options.environment(spec);
    const directory = await this.open.directory(spec.name, true);
    const verdict = await this.starts.start(spec, directory, env);
    if (verdict === 'started') {
      return this.open.use(spec.name, async ({ session }) =>
        session.infoFrom(await untilFirstPrompt(session)),
      );
    }
    const life = await this.life(spec.name);
    throw new SessionError(
      'session_exists',
      spec.name,
      life === 'alive'
        ? `Session "${spec.name}" already exists. Use it, or choose another name.`
        : `Session "${spec.name}" exists but is over (${life}). Close it first, or choose another name.`,
    );
  }

  /** One that has only just been made is alive. */
  private async life(name: string): Promise<'alive' | 'ended' | 'lost'> {
    try {
      return await this.open.use(name, async ({ session }) => (await session.mustLook()).life);
    } catch (error) {
      if (isMissing(error)) return 'alive';
      throw error;
    }
  }

  async list(): Promise<SessionInfo[]> {
    // Sessions that were met before are asked for beside the list of all: one way to the host instead of two.
    const early = new Map(this.open.names().map((name) => [name, this.find(name)]));
    const [directories] = await Promise.all([this.options.backend.directories(), ...early.values()]);
    const names = directories.map(decodeSessionName).filter((name) => name !== undefined);
    // One that was made meanwhile under a known name answers the second time.
    const infos = await Promise.all(names.map(async (name) => (await early.get(name)) ?? this.find(name)));
    return infos.filter((info) => info !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async find(name: string): Promise<SessionInfo | undefined> {
    try {
      return await this.open.use(name, async ({ session, commands }) => {
        const info = await session.info();
        commands.seen();
        return info;
      });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async state(name: string): Promise<SessionState> {
    return this.open.use(name, async ({ session, commands }) => {
      const { state } = await session.judge();
      commands.seen();
      return state;
    });
  }

  async read(name: string, offset: number, maxBytes: number): Promise<SessionBytes> {
    const directory = await this.open.directory(name);
    const { bytes, endOffset, dropped } = await this.options.backend.read(directory, offset, maxBytes);
    if (offset >= dropped) return { bytes, offset, endOffset };
    throw new SessionError(
      'dropped',
      name,
      `The output of session "${name}" before byte ${dropped} is no longer on the computer ${this.options.computer}; byte ${offset} was asked for. Read from ${dropped} on.`,
    );
  }

  async follow(
    name: string,
    offset: number,
    onChunk: (chunk: SessionChunk) => void | Promise<void>,
    signal: AbortSignal,
    onGap?: (gap: { from: number; to: number }) => void | Promise<void>,
  ): Promise<{ reason: 'ended' | 'aborted'; offset: number }> {
    const stop = new AbortController();
    const abort = () => stop.abort();
    if (signal.aborted || this.disposed.signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    this.disposed.signal.addEventListener('abort', abort, { once: true });
    try {
      const directory = await this.open.directory(name);
      return await this.options.backend.follow(directory, offset, onChunk, stop.signal, onGap);
    } finally {
      signal.removeEventListener('abort', abort);
      this.disposed.signal.removeEventListener('abort', abort);
    }
  }

  stored(name: string, upTo: number): Promise<void> {
    return this.open.use(name, ({ session }) => session.stored(upTo));
  }

  async write(
    name: string,
    bytes: Uint8Array,
    inputSeq?: number,
  ): Promise<{ inputSeq: number; delivered: boolean }> {
    if (inputSeq !== undefined && (!Number.isSafeInteger(inputSeq) || inputSeq < 1 || inputSeq > 1e15)) {
      throw new RangeError(`An input number is a whole number from 1 on, not ${inputSeq}.`);
    }
    return this.open.use(name, ({ session }) => session.write(bytes, inputSeq));
  }

  run(
    name: string,
    command: string,
    found?: (info: SessionInfo) => void,
  ): Promise<{ commandSeq: number; offset: number }> {
    return this.open.use(name, ({ commands }) => commands.run(command, found));
  }

  waitCommand(
    name: string,
    commandSeq: number,
    options: { signal?: AbortSignal; timeoutMs?: number },
  ): Promise<CommandOutcome> {
    return this.open.use(name, ({ commands }) => commands.wait(commandSeq, options, this.disposed.signal));
  }

  async commands(name: string): Promise<CommandRecord[]> {
    return this.open.use(name, async ({ session, commands }) => {
      const records = await session.commands();
      commands.seen();
      return records;
    });
  }

  async resize(name: string, rows: number, cols: number): Promise<void> {
    for (const size of [rows, cols]) {
      if (!Number.isInteger(size) || size < 1 || size > 2000) {
        throw new RangeError(`A terminal has 1 to 2000 rows and columns, not ${size}.`);
      }
    }
    await this.open.use(name, async ({ session }) => {
      // A terminal of that number may be somebody else's by now.
      if ((await session.mustLook()).life !== 'alive') return;
      await this.options.backend.resize(session.directory, session.meta.tty, rows, cols);
    });
  }

  signal(
    name: string,
    signal: 'INT' | 'TERM' | 'KILL',
    options: { graceMs?: number } = {},
  ): Promise<SignalOutcome> {
    return this.open.use(name, ({ session }) => signalSession(session, signal, options.graceMs));
  }

  async close(name: string): Promise<SessionEnd & { id: string }> {
    const unsure = this.unsureEnds.get(name);
    this.unsureEnds.delete(name);
    try {
      return await this.open.use(name, (opened) => this.closeOpened(opened));
    } catch (error) {
      // Its removal went unanswered, and it is gone.
      if (unsure && isMissing(error)) return unsure;
      throw error;
    }
  }

  private async closeOpened(opened: OpenSession): Promise<SessionEnd & { id: string }> {
    const { session } = opened;
    const { id } = session.meta;
    const end = { id, ...(await endSession(session)) };
    this.unsureEnds.set(session.name, end);
    await this.options.backend.archive(session.directory, id);
    this.unsureEnds.delete(session.name);
    this.open.forget(opened);
    return end;
  }

  discardClosed(before: number): Promise<number> {
    return this.options.backend.discardArchived(before);
  }

  async dispose(): Promise<void> {
    this.disposed.abort();
    this.open.dispose();
  }
}

const isMissing = (error: unknown) => error instanceof SessionError && error.reason === 'session_not_found';
