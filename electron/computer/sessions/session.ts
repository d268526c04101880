import { CommandIndex, type Marker } from '@shared/terminal/command-markers';
import { SerialQueue } from '../../base/serial-queue';
import { SessionError } from '../failures';
import type { CommandRecord, SessionInfo, SessionState } from '../port';
import type { SessionBackend, SessionIdentity, SessionLook, SessionWatch } from './backend';
import { classify, shownCommand } from './classify';
import type { SessionMeta } from './layout';

/** One line of a session's `marks` file (`docs/host-agent.md`); `undefined` when it is none. */
export function parseMark(line: string): Marker | undefined {
  const match = /^(\d{1,15}) (\d{1,15}) ([ABCD]) (\d{1,15})(?: (.*))?$/.exec(line);
  if (!match) return undefined;
  return {
    start: Number(match[1]),
    end: Number(match[2]),
    kind: match[3] as Marker['kind'],
    seq: Number(match[4]),
    fields: match[5]?.split(';') ?? [],
  };
}

/** A command whose typed line was lost on its way (Ctrl-C at that moment, a crash) is given up after this long. */
const lostCommandMs = 5000;
const maxLooks = 3;
/** Rounds in which one look fetches what happened: some 16 MB. What is left comes with the next look. */
const maxMarkRounds = 64;
/** Hole punching works in whole blocks. */
const blockBytes = 4096;

/** The name belongs to another session by now, or to none: the host looks it up again. Never leaves this directory. */
export class SessionReplaced extends Error {
  constructor(name: string) {
    super(`Session "${name}" is not the one that was opened.`);
    this.name = 'SessionReplaced';
  }
}

interface OpenedSession {
  backend: SessionBackend;
  name: string;
  directory: string;
  identity: SessionIdentity;
  /** `stored` keeps at least this much of the end of the log. */
  keptBytes: number;
}

/** One life of one session, as far as this process knows it; every question is one look at its host. */
export class BackedSession {
  readonly name: string;
  readonly directory: string;
  readonly meta: SessionMeta;
  readonly backend: SessionBackend;
  readonly index = new CommandIndex();
  private readonly keptBytes: number;
  private watch: SessionWatch | undefined;
  /** What the watch had heard when a look began. */
  private readonly heardAt = new WeakMap<SessionLook, number>();
  /** Bytes of the host's `marks` that the index has. */
  private marksKnown = 0;
  /** Marks the index took. */
  private accepted = 0;
  private askedToDrop = 0;
  private disposed = false;
  private readonly turns = new SerialQueue();

  constructor({ backend, name, directory, identity, keptBytes }: OpenedSession) {
    this.backend = backend;
    this.name = name;
    this.directory = directory;
    this.meta = identity.meta;
    this.keptBytes = keptBytes;
  }

  /** One look; brings the index up to date. `undefined` when the name is free or another session's. */
  async look(processes = false): Promise<SessionLook | undefined> {
    for (let round = 1; ; round += 1) {
      const from = this.marksKnown;
      const heard = this.watch?.heard ?? -1;
      const look = await this.backend.look(this.directory, { marksFrom: from, processes });
      if (look?.id !== this.meta.id) return undefined;
      this.take(from, look.marks);
      this.heardAt.set(look, heard);
      if (!look.moreMarks || look.marks === '' || round === maxMarkRounds) return look;
    }
  }

  /** @throws SessionReplaced */
  async mustLook(processes = false): Promise<SessionLook> {
    const look = await this.look(processes);
    if (look) return look;
    throw new SessionReplaced(this.name);
  }

  /** Looks overlap: what an earlier one brought is passed over. Marks are ASCII, so characters are bytes. */
  private take(from: number, marks: string): void {
    const fresh = marks.slice(this.marksKnown - from);
    if (from + marks.length <= this.marksKnown) return;
    for (const line of fresh.split('\n')) {
      const mark = parseMark(line);
      if (mark && this.index.accept(mark)) this.accepted += 1;
    }
    this.marksKnown = from + marks.length;
  }

  async info(): Promise<SessionInfo> {
    return this.infoFrom(await this.mustLook());
  }

  infoFrom(look: SessionLook): SessionInfo {
    return {
      name: this.name,
      id: this.meta.id,
      alive: look.life === 'alive',
      cwd: this.meta.cwd,
      createdAt: this.meta.createdAt,
      endOffset: look.size,
      droppedTo: look.dropped,
      inputSeq: look.inputSeq,
      commandSeq: Math.max(look.commandSeq, this.index.lastCommand),
    };
  }

  /** The state, and the look it was read from. */
  async judge(): Promise<{ state: SessionState; look: SessionLook }> {
    for (let looks = 1; ; looks += 1) {
      const before = this.accepted;
      const look = await this.mustLook(true);
      const state = this.stateFrom(look);
      // A command began after the processes were looked at: the shell's read of it is not the command's.
      const doubtful = state.state === 'waiting' || state.state === 'interactive';
      if (!doubtful || this.accepted === before) return { state, look };
      if (looks === maxLooks) return { state: this.stateFrom({ ...look, foreground: [] }), look };
    }
  }

  private stateFrom(look: SessionLook): SessionState {
    const { life, rebooted, foreground, terminal } = look;
    const { starting, atPrompt, ending } = this.index;
    const pending = this.pendingCommand(look) !== undefined;
    return {
      ...classify({ life, rebooted, starting, atPrompt, ending, pending, foreground, terminal }),
      foreground: foreground
        .filter((process) => !process.isShell)
        .map(({ pid, stat, command }) => ({ pid, stat, command: shownCommand(command) })),
      echo: terminal?.echo,
      exitCode: look.exitCode ?? undefined,
      endOffset: look.size,
      lastByteAt: look.mtimeMs,
      command: life === 'alive' ? this.index.running : undefined,
      diskFull: life === 'alive' && look.diskFull,
    };
  }

  /** The number of a command that was sent and has not begun. */
  pendingCommand(look: SessionLook): number | undefined {
    if (look.life !== 'alive' || look.commandSeq <= this.index.lastCommand) return undefined;
    const lost = look.pendingInputs === 0 && look.commandAgeMs > lostCommandMs && this.index.atPrompt;
    return lost ? undefined : look.commandSeq;
  }

  async commands(): Promise<CommandRecord[]> {
    const { life, exitCode, size, mtimeMs } = await this.mustLook();
    return this.index
      .commands()
      .map((command) =>
        command.endOffset === undefined && life !== 'alive'
          ? { ...command, endOffset: size, endedAt: mtimeMs, exitCode: exitCode ?? null }
          : { ...command },
      );
  }

  write(bytes: Uint8Array, inputSeq: number | undefined): Promise<{ inputSeq: number; delivered: boolean }> {
    return this.inTurn(() => this.backend.input(this.name, this.directory, bytes, inputSeq));
  }

  /** See `SessionHost.stored`. Asks the host only when a good piece has become free. */
  async stored(upTo: number): Promise<void> {
    const step = Math.max(blockBytes, this.keptBytes / 16);
    if (upTo - this.keptBytes < this.askedToDrop + step) return;
    const { life, size, dropped } = await this.mustLook();
    const running = life === 'alive' ? this.index.running?.commandSeq : undefined;
    const inUse = running === undefined ? undefined : this.index.command(running)?.startOffset;
    const target = Math.min(upTo, size - this.keptBytes, inUse ?? Number.POSITIVE_INFINITY);
    if (target < Math.max(dropped, this.askedToDrop) + step) return;
    await this.backend.drop(this.directory, target);
    // Also where the file system cannot do it: asked once for each piece.
    this.askedToDrop = target;
  }

  /**
   * What the watch has heard up to now, for `changed`: read before something is set off, its effects are heard after it.
   * `undefined` where changes can go unheard.
   */
  heardNow(): number | undefined {
    if (this.disposed) return undefined;
    this.watch ??= this.backend.watch(this.directory);
    return this.watch.listening() ? this.watch.heard : undefined;
  }

  /** Resolves when something may have changed after that look or `heardNow`, or `signal` aborts. */
  async changed(signal: AbortSignal, after?: SessionLook | number): Promise<void> {
    this.watch ??= this.backend.watch(this.directory);
    const since = typeof after === 'object' ? this.heardAt.get(after) : after;
    await this.watch.changed(signal, since);
    // Somebody still waits in a session that was let go: the watch is not kept for others.
    if (this.disposed) this.dispose();
  }

  /** Inputs and commands of this process reach the host in the order they were asked for. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.run(work);
  }

  busy(reason: string): SessionError {
    return new SessionError('session_busy', this.name, `Session "${this.name}" is busy. ${reason}`);
  }

  dispose(): void {
    this.disposed = true;
    this.watch?.close();
    this.watch = undefined;
  }
}
