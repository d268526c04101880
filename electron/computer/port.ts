import type { IndexedCommand } from '@shared/terminal/command-markers';

/**
 * A computer as the engine sees it: durable named sessions and files, nothing else. The local one and the one over SSH
 * pass the same conformance suite (`electron/testing/computer-conformance.ts`). Two kinds of failure are kept apart
 * (`failures.ts`): what happened *on* the computer is a `SessionError` or `FileError` and may become an observation; a
 * computer that cannot be reached is a `ComputerUnavailable`, which makes the run wait and is never shown to the model.
 */
export interface Computer {
  /** The name the agent passes as `computer_ip`. */
  readonly name: string;
  readonly kind: 'local' | 'ssh';
  readonly sessions: SessionHost;
  readonly files: FileSystemPort;
  /** Looks at the machine. @throws ComputerUnavailable */
  probe(): Promise<ComputerFacts>;
  /** Lets go of watchers and links. Sessions live on: that is what they are for. */
  dispose(): Promise<void>;
}

/** What a probe found out. Sizes in bytes. */
export interface ComputerFacts {
  /** Address of the boot: another one means that the machine restarted and its sessions are lost. Empty if unknown. */
  boot: string;
  platform: 'linux' | 'darwin';
  hostname: string;
  /** The user the sessions run as. */
  user: string;
  homeDir: string;
  cpus: number;
  memoryBytes: number;
  bashVersion: string;
  /** The program that holds the terminals of new sessions. */
  supervisor: 'perl' | 'python3';
  /** Host clock minus our clock in milliseconds; 0 for the local computer. */
  clockOffsetMs: number;
}

/** Every method may throw `ComputerUnavailable` and `SessionError`. Offsets are bytes from the first byte ever. */
export interface SessionHost {
  /**
   * Starts a shell that outlives the application; resolves at its first prompt, or after 15 s: then it is still busy.
   * @throws SessionError session_exists (also for one that ended but was not closed), cwd_missing, invalid_name,
   *   supervisor_missing, shell_missing, sandbox_refused, start_failed
   */
  create(spec: SessionSpec): Promise<SessionInfo>;
  /** Every session that was not closed, also ended and lost ones, sorted by name. */
  list(): Promise<SessionInfo[]>;
  /** The session of that name, whoever created it and whenever; `undefined` when there is none. */
  find(name: string): Promise<SessionInfo | undefined>;
  state(name: string): Promise<SessionState>;
  /**
   * Up to `maxBytes` raw bytes from `offset`; fewer at the end. `endOffset` is the length of the log right now.
   * @throws SessionError dropped, when `offset` lies before the first byte that is still there
   */
  read(name: string, offset: number, maxBytes: number): Promise<SessionBytes>;
  /**
   * Hands over every byte from `offset` on, in order, without gaps or repeats, until the session has ended and was read to
   * its end, or `signal` aborts (a normal way to end, no error). The next chunk waits for the promise of `onChunk`.
   */
  follow(
    name: string,
    offset: number,
    onChunk: (chunk: SessionChunk) => void | Promise<void>,
    signal: AbortSignal,
    /** Bytes that were dropped on the host before they were fetched; told once, before the first byte after them. */
    onGap?: (gap: { from: number; to: number }) => void | Promise<void>,
  ): Promise<{ reason: 'ended' | 'aborted'; offset: number }>;
  /**
   * These bytes are kept elsewhere: the host may give their space back. Keeps at least the last 64 MB and everything of the
   * command that runs. Offsets do not move; reading dropped bytes is a SessionError `dropped`.
   */
  stored(name: string, upTo: number): Promise<void>;
  /**
   * Types bytes into the terminal. Acknowledged once they are safe on the host; never waits for the program to read them.
   * `inputSeq`: a number at or below the highest accepted one is not delivered again, ever. Default: the next free one.
   * @throws SessionError input_full (more than 8 MB unread), session_ended, session_lost
   */
  write(
    name: string,
    bytes: Uint8Array,
    inputSeq?: number,
  ): Promise<{ inputSeq: number; delivered: boolean }>;
  /**
   * Runs shell text as one command of the session's shell (it may span lines) and returns at once.
   * `offset`: the end of the log just before. The same text again after a lost answer is the same command, until somebody
   * looked at the session. `found` is given what the look before the command found, before anything is sent, and whoever
   * gives it asks for a new command in any case. @throws SessionError session_busy when the session is not idle
   */
  run(
    name: string,
    command: string,
    found?: (info: SessionInfo) => void,
  ): Promise<{ commandSeq: number; offset: number }>;
  /**
   * Waits until the command has ended, `timeoutMs` passed or `signal` aborted (rejects with its reason). For any command of
   * the session's life, also after a restart. Never kills. @throws SessionError command_unknown
   */
  waitCommand(
    name: string,
    commandSeq: number,
    options: { signal?: AbortSignal; timeoutMs?: number },
  ): Promise<CommandOutcome>;
  /** Every command the session ran through `run`, oldest first: the base of working time "by the log's stamps". */
  commands(name: string): Promise<CommandRecord[]>;
  resize(name: string, rows: number, cols: number): Promise<void>;
  /**
   * INT goes to the foreground process group, as Ctrl-C would. TERM and KILL go to everything the session started, detached
   * children included, but not its shell. Resolves once all are gone and the prompt is back, or after `graceMs` (3000).
   */
  signal(
    name: string,
    signal: 'INT' | 'TERM' | 'KILL',
    options?: { graceMs?: number },
  ): Promise<SignalOutcome>;
  /**
   * Ends the shell and everything the session started (no process is left) and frees the name. The log is kept under
   * the session's id until `discardClosed`. @throws SessionError session_not_found
   */
  close(name: string): Promise<{ id: string; exitCode: number | null; endOffset: number }>;
  /** Deletes logs of sessions closed before that time (host clock, ms since 1970); returns how many. */
  discardClosed(before: number): Promise<number>;
}

export interface SessionSpec {
  /** 1 to 64 characters; unique on this computer. */
  name: string;
  /** Absolute. */
  cwd: string;
  /** Added to a clean base environment; nothing else of the application's environment reaches the session. */
  env: Readonly<Record<string, string>>;
  rows: number;
  cols: number;
  /** Read the user's `~/.bashrc` first (conda, CUDA paths). Default true. */
  profile?: boolean;
}

export interface SessionInfo {
  name: string;
  /** Unique per life: closing and creating again under the same name gives a new id. */
  id: string;
  alive: boolean;
  cwd: string;
  /** Host clock, ms since 1970. */
  createdAt: number;
  /** Length of the byte log. */
  endOffset: number;
  /** First byte of the log that is still on the computer. */
  droppedTo: number;
  /** The highest accepted input number, 0 before the first. */
  inputSeq: number;
  /** The highest command number given by `run`, 0 before the first. */
  commandSeq: number;
}

/**
 * - `idle`: the shell is at its prompt (background jobs may run).
 * - `busy`: a command runs, or it cannot be known what goes on. What is unknown is busy, never idle.
 * - `waiting`: a foreground process is blocked in a read of the terminal.
 * - `interactive`: a full-screen or line-editing program (vim, top, a REPL) holds the terminal; it probably
 *   takes input when `lastByteAt` is a while ago.
 * - `ended`: the shell exited. `lost`: the host restarted or something killed the session's supervisor.
 */
export interface SessionState {
  state: 'idle' | 'busy' | 'waiting' | 'interactive' | 'ended' | 'lost';
  /** One sentence that says why, in plain English. */
  reason: string;
  /** Processes of the foreground process group besides a waiting shell. `stat` as `ps` prints it. */
  foreground: SessionProcess[];
  /** Terminal input echoes; false while busy or waiting usually means a password is asked for. */
  echo: boolean | undefined;
  /** Exit code of the shell once `ended` (128 + signal when killed). */
  exitCode: number | undefined;
  endOffset: number;
  /** Host clock, ms since 1970, of the last output byte. */
  lastByteAt: number;
  /** The command that runs now. `commandSeq` is undefined for a line typed through `write`. Host clock ms. */
  command: { commandSeq: number | undefined; startedAt: number | undefined } | undefined;
  /** The host's disk is full: output is held back at the program, nothing is lost. */
  diskFull: boolean;
}

export interface SessionProcess {
  pid: number;
  stat: string;
  command: string;
}

export interface SessionBytes {
  bytes: Uint8Array;
  offset: number;
  endOffset: number;
}

export interface SessionChunk {
  offset: number;
  /** Valid until the returned promise settles; copy what is kept longer. */
  bytes: Uint8Array;
  /** Our clock, ms since 1970. */
  receivedAt: number;
  /** Host clock, ms since 1970, of the last write to the log when the chunk was read. */
  hostAt: number;
}

/** One command started by `run`. Offsets enclose its output exactly; stamps: host clock, ms since 1970 with fraction. */
export type CommandRecord = IndexedCommand;

export interface CommandOutcome {
  timedOut: boolean;
  /** `null` while it runs (`timedOut`) and when the session was lost. */
  exitCode: number | null;
  startOffset: number;
  /** End of its output so far. */
  endOffset: number;
  startedAt: number | undefined;
  endedAt: number | undefined;
  /** It is over, and the last look found the shell alive and at its prompt. */
  atPrompt: boolean;
}

export interface SignalOutcome {
  signalled: SessionProcess[];
  /** Still alive when the grace time was over. */
  remaining: SessionProcess[];
}

/** Absolute paths only. Every method may throw `ComputerUnavailable` and `FileError`. */
export interface FileSystemPort {
  /** The whole file, any bytes. @throws FileError too_large when it is longer than `maxBytes` */
  read(path: string, options: { maxBytes: number }): Promise<FileContent>;
  /** A part of a file that may be too large to read whole. */
  readRange(path: string, offset: number, length: number): Promise<{ bytes: Uint8Array; size: number }>;
  /**
   * Replaces the content in one step (temporary file, fsync, rename). Keeps mode and owner of an existing file; writes
   * through a symbolic link. `expectSha256`: what it must hold now (`null`: must not exist), else FileError conflict.
   */
  write(path: string, bytes: Uint8Array, options?: FileWriteOptions): Promise<{ sha256: string }>;
  /** Follows symbolic links. `undefined` when nothing is there. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Sorted by name in code point order. `hidden`: include names that start with a dot. */
  list(path: string, options: { hidden: boolean }): Promise<DirectoryEntry[]>;
  /**
   * What lies below `path`, depth first, sorted, not through symbolic links to directories, without what may not be read.
   * Stops at `maxEntries` and says so.
   */
  walk(path: string, options: WalkOptions): Promise<{ entries: WalkEntry[]; truncated: boolean }>;
  /** The path with every symbolic link resolved. */
  realpath(path: string): Promise<string>;
  makeDirectory(path: string): Promise<void>;
  /** A file, a link (not its target) or, with `recursive`, a tree. */
  remove(path: string, options?: { recursive?: boolean }): Promise<void>;
  /** sha256 in hex, streamed. */
  hash(path: string): Promise<string>;
}

export interface FileContent {
  bytes: Uint8Array;
  sha256: string;
  size: number;
  mtimeMs: number;
  /** Permission bits, e.g. 0o644. */
  mode: number;
}

export interface FileWriteOptions {
  expectSha256?: string | null;
  /** For a new file; default 0o644. With an existing file it replaces the mode. */
  mode?: number;
  /** Create missing parent directories. */
  mkdirs?: boolean;
}

export type FileKind = 'file' | 'directory' | 'symlink' | 'other';

export interface FileStat {
  kind: Exclude<FileKind, 'symlink'>;
  size: number;
  mtimeMs: number;
  mode: number;
}

export interface DirectoryEntry {
  name: string;
  /** A link is reported as what it points to; a dangling one as `symlink`. */
  kind: FileKind;
}

export interface WalkOptions {
  hidden: boolean;
  maxEntries: number;
  signal?: AbortSignal;
}

export interface WalkEntry {
  /** Absolute. */
  path: string;
  kind: FileKind;
  size: number;
  mtimeMs: number;
}
