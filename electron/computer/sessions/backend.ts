import type { SessionChunk } from '../port';
import type { ForegroundProcess } from './classify';
import type { SessionMeta } from './layout';

/**
 * What a host must be able to do for sessions: one call is one look or one change at the host, so that over a link
 * it is one round trip. The session code above it (`session-host.ts` and its neighbours) is the same for this
 * computer and for a distant one. Directories are absolute paths on the host; names are `layout.ts`'s
 * (`decodeSessionName` of a directory's last part gives the name for messages).
 * Every method may throw `ComputerUnavailable`; a `SessionError` where its doc says so (both in `../failures.ts`).
 */
export interface SessionBackend {
  /** Makes the directory of all sessions (0700) and returns its absolute path. */
  prepareRoot(): Promise<string>;
  /**
   * Starts the supervisor of a session and returns once it stands on its own. `exists`: a directory of that name is
   * there and is not this very order (`order.id` tells), so asking again after a broken link is safe.
   * @throws SessionError cwd_missing, shell_missing, supervisor_missing, sandbox_refused, start_failed
   */
  start(order: StartOrder): Promise<'started' | 'exists'>;
  /** Removes what a crash left of a session that was being made over 10 s ago; true when the name is free now. */
  clearUnfinished(directory: string): Promise<boolean>;
  /** Names of the directories below the root, without those that start with a dot. */
  directories(): Promise<string[]>;
  /** Who holds the session, and the secret of its markers; undefined when there is no such session. */
  identify(directory: string): Promise<SessionIdentity | undefined>;
  /** undefined: no session has that directory (any more). */
  look(directory: string, wanted: LookOrder): Promise<SessionLook | undefined>;
  /**
   * Raw bytes of the log. `dropped`: the first byte that is still there; bytes before it are not to be used.
   * @throws SessionError session_not_found
   */
  read(
    directory: string,
    offset: number,
    maxBytes: number,
  ): Promise<{ bytes: Uint8Array; endOffset: number; dropped: number }>;
  /**
   * Hands over bytes from `offset` on as they come until `signal` aborts or the session has ended and is read to its end.
   * Bytes that are gone are reported once as `gap` before the first byte after them. A session that is closed meanwhile has
   * ended. @throws SessionError session_not_found
   */
  follow(
    directory: string,
    offset: number,
    onChunk: (chunk: SessionChunk) => void | Promise<void>,
    signal: AbortSignal,
    onGap?: (gap: { from: number; to: number }) => void | Promise<void>,
  ): Promise<{ reason: 'ended' | 'aborted'; offset: number }>;
  /** Something but the length of the log may have changed; see `SessionWatch`. One per opened session. */
  watch(directory: string): SessionWatch;
  /**
   * Puts input under a number where the supervisor finds it, whole, and rings. `wanted` undefined: the next free number.
   * @throws SessionError input_full, session_ended, session_lost, session_not_found
   */
  input(
    session: string,
    directory: string,
    bytes: Uint8Array,
    wanted: number | undefined,
  ): Promise<{ inputSeq: number; delivered: boolean }>;
  /**
   * Stores the text of command `commandSeq` and types the line that loads it. The number can be taken once; the same
   * `token` may ask again. `taken`: another command has that number, or a higher one.
   * @throws SessionError input_full, session_ended, session_lost, session_not_found
   */
  command(session: string, directory: string, order: CommandOrder): Promise<'sent' | 'taken'>;
  resize(directory: string, tty: string, rows: number, cols: number): Promise<void>;
  /** Everything the session started that still runs, detached processes included; not its shell, no zombies. */
  started(meta: SessionMeta): Promise<StartedProcess[]>;
  /** The shell and the supervisor as long as they live (start time compared). */
  holders(meta: SessionMeta): Promise<{ shell: ShellProcess | undefined; supervisor: boolean }>;
  /** A negative pid is a process group. What is gone or not ours is passed over. */
  kill(targets: readonly { pid: number; signal: 'INT' | 'HUP' | 'TERM' | 'KILL' | 'CONT' }[]): Promise<void>;
  /** Frees the name; the log stays under the session's id. Safe to ask again. */
  archive(directory: string, id: string): Promise<void>;
  /** Deletes archived logs closed before that time (host clock, ms); returns how many. */
  discardArchived(before: number): Promise<number>;
  /**
   * Gives the host's disk space below `upTo` back without moving offsets (hole punching, whole blocks); returns
   * the first byte still there. A file system that cannot do it keeps everything.
   */
  drop(directory: string, upTo: number): Promise<{ dropped: number }>;
}

export interface StartOrder {
  /** Session name, for messages. */
  name: string;
  directory: string;
  /** Unique per life, chosen by the caller. */
  id: string;
  nonce: string;
  cwd: string;
  rows: number;
  cols: number;
  env: Readonly<Record<string, string>>;
  profile: boolean;
  /** Bytes of the log that may wait unfetched before the oldest are dropped. 0: whoever starts computes it. */
  limitBytes: number;
}

export interface CommandOrder {
  commandSeq: number;
  /** Random; makes asking again safe. */
  token: string;
  echo: string;
  text: string;
  /** The line to type. */
  line: string;
}

export interface SessionIdentity {
  meta: SessionMeta;
  nonce: string;
}

export interface LookOrder {
  /**
   * Byte offset in the session's `marks` file up to which the caller knows them. Past the end of the file (another session
   * has the name now): no marks.
   */
  marksFrom: number;
  /** Also look at the foreground processes and the terminal's mode. */
  processes: boolean;
}

/** One consistent-enough look: life was looked at before the marks, processes before both, the lists in between. */
export interface SessionLook {
  /** From `meta`, read first: another id than the one known means that the name belongs to another session now. */
  id: string;
  life: 'alive' | 'ended' | 'lost';
  /** Of the shell once ended; null when it cannot be read. */
  exitCode: number | null | undefined;
  /** The host has restarted since the session was made. */
  rebooted: boolean;
  /** Length of the log. */
  size: number;
  /** Host clock, ms, of its last byte. */
  mtimeMs: number;
  /** First byte of the log that is still there. */
  dropped: number;
  diskFull: boolean;
  /** Lines of `marks` after `marksFrom`; whole lines only, at most 256 KB of them. */
  marks: string;
  /** There are more marks than these: look again. */
  moreMarks: boolean;
  /** Highest accepted input number, and how many inputs are not delivered yet. */
  inputSeq: number;
  pendingInputs: number;
  /** Highest number among the stored commands (0: none), and its age in ms by the host's clock. */
  commandSeq: number;
  commandAgeMs: number;
  /** Only when asked for and alive; the shell is among them. */
  foreground: ForegroundProcess[];
  terminal: { lineMode: boolean; echo: boolean } | undefined;
}

export interface SessionWatch {
  /** Counts the changes heard of. Read it before a look and hand it to `changed` after it: then none is missed. */
  readonly heard: number;
  /** Whether from now on every change is counted in `heard`, also while nobody waits. Begins to listen where it can. */
  listening(): boolean;
  /**
   * Resolves at the next change, at a moment worth another look, or when `signal` aborts; never rejects. At once when something
   * was heard after `since`.
   */
  changed(signal: AbortSignal, since?: number): Promise<void>;
  close(): void;
}

export interface StartedProcess {
  pid: number;
  parent: number;
  group: number;
  /** First letter as `ps` prints it. */
  stat: string;
  command: string;
}

export interface ShellProcess extends Omit<StartedProcess, 'parent'> {
  /** Foreground process group of its terminal. */
  foreground: number;
}
