import { duration } from '@shared/base/amounts';
import { leftOutAbout } from '@shared/base/bounded-text';
import { WaymarkError } from '@shared/contract/errors';
import { fromLineStart, modelText } from '@shared/terminal/model-text';
import type { Clock } from '../clock';
import { SessionError } from '../computer/failures';
import { isHost } from '../computer/hosts';
import type { Computer, SessionInfo, SessionState } from '../computer/port';
import type { ActionFacts } from './action-facts';
import type { ActionTaskView } from './task-view';
import { splitLines } from './text-file';

/** A single control character, as an agent types it into a session: it interrupts, ends or suspends what runs there. */
export const sessionKeys = /^[\u0003\u0004\u001a\u001c]$/;

/** Most bytes of a session's log that are turned into text for one observation. */
const maxSlice = 4 * 1024 * 1024;
const headSlice = 512 * 1024;
const chunk = 1024 * 1024;
/** How long a shell may take to get to its prompt or to a command, and how often to look, ms. */
const settleMs = 2000;
const pollMs = 10;

/** What people and models call the machine they are on. */
const hereNames = new Set(['localhost', '127.0.0.1', '::1', 'local']);

/** Bytes of a session that are kept elsewhere than on its computer. */
export type StoredBytes = (uid: string, offset: number, maxBytes: number) => Promise<Uint8Array>;

/** Sessions and computers by the names the agent uses. */
export class SessionDesk {
  /** Host clock minus ours, ms, of the hosts that were asked. */
  private readonly clocks = new Map<string, number>();

  constructor(
    private readonly task: ActionTaskView,
    private readonly computers: ReadonlyMap<string, Computer>,
    private readonly facts: ActionFacts,
    private readonly clock: Clock,
    private readonly stored: StoredBytes | undefined,
  ) {}

  /** @throws WaymarkError not_found, refused, with the names there are */
  computer(name: string | undefined): Computer {
    const own = this.task.computers.map((computer) => computer.name);
    const wanted = name ?? this.task.filesComputer;
    const found = own.includes(wanted) ? wanted : this.task.aliases[wanted];
    const computer = found === undefined ? undefined : this.computers.get(found);
    if (computer) return computer;
    const names = `The computers are: ${own.join(', ')}.`;
    if (this.task.evaluators.includes(wanted)) {
      throw new WaymarkError(
        'refused',
        `"${wanted}" is only for evaluation: commands cannot run there. Call eval to score the workspace. ${names}`,
      );
    }
    const here = hereNames.has(wanted) ? ' The machine that calls you is not one of yours.' : '';
    throw new WaymarkError('not_found', `There is no computer "${wanted}".${here} ${names}`);
  }

  /** The computer's own clock, ms since 1970: what its stamps are compared with. */
  async now(computer: Computer): Promise<number> {
    if (!isHost(computer)) return this.clock.now();
    const known = this.clocks.get(computer.name) ?? (await computer.probe()).clockOffsetMs;
    this.clocks.set(computer.name, known);
    return this.clock.now() + known;
  }

  /** What a session does now, as the agent reads it; `uid`: of the session. */
  async describe(computer: Computer, uid: string, state: SessionState): Promise<string> {
    const last = this.facts.commands.get(uid);
    const typed = last !== undefined && last.seq === state.command?.commandSeq ? last.text : undefined;
    return describeState(state, await this.now(computer), typed);
  }

  /** The named computer, or all of them. */
  several(name: string | undefined): Computer[] {
    return name === undefined
      ? this.task.computers.map((computer) => this.computer(computer.name))
      : [this.computer(name)];
  }

  /** The session, opened when there is none and opened afresh when its shell has ended. */
  async open(
    computer: Computer,
    name: string,
  ): Promise<{ info: SessionInfo; note: string; created: boolean }> {
    const existing = await computer.sessions.find(name);
    if (!existing) return { info: await this.create(computer, name), note: '', created: true };
    if (existing.alive) return { info: existing, note: '', created: false };
    const { state, exitCode } = await computer.sessions.state(name);
    await computer.sessions.close(name);
    const how =
      state === 'lost'
        ? 'was lost'
        : `had ended${exitCode === undefined ? '' : ` with exit code ${exitCode}`}`;
    return {
      info: await this.create(computer, name),
      note: `The shell of session ${name} ${how}; this is a new one, without the old directory and variables.\n`,
      created: true,
    };
  }

  private create(computer: Computer, name: string): Promise<SessionInfo> {
    const own = this.task.computers.find((entry) => entry.name === computer.name);
    return computer.sessions.create({
      name,
      cwd: own?.cwd ?? this.task.workspaceRoot,
      env: own?.env ?? {},
      rows: this.task.terminal.rows,
      cols: this.task.terminal.cols,
    });
  }

  /**
   * The session's state, after the moment between the end of a command and the shell's prompt: a next command would be
   * refused then although nothing runs.
   */
  async settled(computer: Computer, name: string, signal: AbortSignal): Promise<SessionState> {
    let state = await computer.sessions.state(name);
    const until = this.clock.monotonic() + settleMs;
    while (
      state.state === 'busy' &&
      state.command === undefined &&
      state.foreground.length === 0 &&
      this.clock.monotonic() < until
    ) {
      await this.clock.sleep(pollMs, signal);
      state = await computer.sessions.state(name);
    }
    return state;
  }

  /** Waits until the shell has taken up a command: keys typed before that would spoil it. */
  async begun(computer: Computer, name: string, commandSeq: number, signal: AbortSignal): Promise<void> {
    const until = this.clock.monotonic() + settleMs;
    while (this.clock.monotonic() < until) {
      const commands = await computer.sessions.commands(name);
      if (commands.some((command) => command.commandSeq >= commandSeq)) return;
      await this.clock.sleep(pollMs, signal);
    }
  }

  /** Without a name: the session used last on that computer. @throws WaymarkError not_found with the names there are */
  async existing(computer: Computer, named: string | undefined): Promise<SessionInfo> {
    const info = await this.find(computer, named);
    if (info) return info;
    throw notFound(computer, named, await computer.sessions.list());
  }

  /** As `existing`, for what only looks or has nothing to do then; null: none was named, and none is open. */
  async asked(computer: Computer, named: string | undefined): Promise<SessionInfo | null> {
    const info = await this.find(computer, named);
    if (info) return info;
    const open = await computer.sessions.list();
    if (named === undefined && open.length === 0) return null;
    throw notFound(computer, named, open);
  }

  private async find(computer: Computer, named: string | undefined): Promise<SessionInfo | undefined> {
    const name = named ?? this.facts.lastSession.get(computer.name);
    return name === undefined ? undefined : computer.sessions.find(name);
  }

  /** What is said where `asked` finds none: nothing has gone wrong. */
  noneOpen(computer: Computer): string {
    const when = this.facts.lastSession.has(computer.name)
      ? `No session is open on ${computer.name} any more.`
      : `No session is open yet on ${computer.name}.`;
    return `${when} create_session and run_command open one.`;
  }

  /** Raw bytes `from`..`to` as the model reads them; the middle of more than 4 MB is left out and counted. */
  async text(computer: Computer, name: string, from: number, to: number): Promise<string> {
    if (to - from <= maxSlice) return modelText(await this.bytes(computer, name, from, to));
    const tailFrom = to - (maxSlice - headSlice);
    const head = modelText(await this.bytes(computer, name, from, from + headSlice));
    const tail = modelText(fromLineStart(await this.bytes(computer, name, tailFrom, to)));
    const left = tailFrom - from - headSlice;
    // As many characters for each byte as on both sides of it: colours and progress bars are none.
    const characters = (left * (head.length + tail.length)) / maxSlice;
    return `${head}\n${leftOutAbout(characters, 'write such output to a file and look there')}\n${tail}`;
  }

  /** The last logical lines of a session's output that were not cleared, oldest first. */
  async lines(
    computer: Computer,
    info: SessionInfo,
    since = 0,
  ): Promise<{ lines: string[]; partial: boolean; endOffset: number }> {
    const { endOffset } = await computer.sessions.read(info.name, info.endOffset, 0);
    const floor = Math.min(endOffset, Math.max(since, this.facts.cleared.get(info.id) ?? 0));
    const from = Math.max(floor, endOffset - maxSlice);
    const bytes = await this.bytes(computer, info.name, from, endOffset);
    const text = modelText(from > floor ? fromLineStart(bytes) : bytes);
    return { lines: splitLines(text).lines, partial: from > floor, endOffset };
  }

  private async bytes(computer: Computer, name: string, from: number, to: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let at = from;
    while (at < to) {
      const { bytes, next } = await this.piece(computer, name, at, Math.min(chunk, to - at));
      if (next <= at) break;
      parts.push(bytes);
      at = next;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** From the computer, or from our own log where the computer has dropped them. */
  private async piece(
    computer: Computer,
    name: string,
    at: number,
    maxBytes: number,
  ): Promise<{ bytes: Uint8Array; next: number }> {
    try {
      const { bytes } = await computer.sessions.read(name, at, maxBytes);
      return { bytes: bytes.slice(), next: at + bytes.length };
    } catch (error) {
      if (!isSessionError(error, 'dropped')) throw error;
    }
    const info = await computer.sessions.find(name);
    const kept = (info && (await this.stored?.(info.id, at, maxBytes))) ?? new Uint8Array();
    if (kept.length > 0) return { bytes: kept, next: at + kept.length };
    const next = Math.min(at + maxBytes, info?.droppedTo ?? at);
    const note = `\n${leftOutAbout(next - at, 'there was no room to keep them')}\n`;
    return { bytes: next > at ? Buffer.from(note) : kept, next };
  }
}

function notFound(computer: Computer, named: string | undefined, open: readonly SessionInfo[]): WaymarkError {
  const names = open.map((session) => session.name);
  const others = names.length === 0 ? 'It has no sessions yet' : `Its sessions are: ${names.join(', ')}`;
  const what =
    named === undefined
      ? `No session was named, and the one used last on ${computer.name} is not open.`
      : `There is no session "${named}" on ${computer.name}.`;
  return new WaymarkError('not_found', `${what} ${others}.`);
}

/** `busy with "make all" (12 s so far; now "cc -c a.c")` and the like. `now` is the host's clock, ms; `typed`: the command, where it is known. */
function describeState(state: SessionState, now: number, typed: string | undefined): string {
  const running = [...new Set(state.foreground.map((process) => process.command))].filter(
    (command) => command !== '',
  );
  const named = running
    .slice(0, 3)
    .map((command) => `"${oneLine(command)}"`)
    .join(', ');
  const inside = named === '' ? '' : ` in ${named}`;
  const command = typed === undefined ? '' : ` with "${oneLine(typed)}"`;
  const startedAt = state.command?.startedAt;
  const told = typed !== undefined && running.every((each) => typed.includes(each));
  const more = [
    ...(startedAt === undefined ? [] : [`${duration(now - startedAt)} so far`]),
    ...(named === '' || told ? [] : [`now ${named}`]),
  ].join('; ');
  const words: Record<SessionState['state'], string> = {
    idle: 'idle',
    busy: `busy${command}${more === '' ? '' : ` (${more})`}`,
    waiting: `waiting for input${state.echo === false ? ' (probably a password)' : ''}${inside}`,
    interactive: `in an interactive program${named === '' ? '' : ` (${named})`}`,
    ended: `ended${state.exitCode === undefined ? '' : ` with exit code ${state.exitCode}`}`,
    lost: 'lost (its host restarted or it was killed from outside)',
  };
  return words[state.state] + (state.diskFull ? '; the disk is full and output is held back' : '');
}

/** A command in the middle of a sentence. */
function oneLine(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim();
  return line.length > 120 ? `${line.slice(0, 119).replace(/[\ud800-\udbff]$/, '')}…` : line;
}

/** The four ways on that a command in a session that is not idle is answered with. */
export function busyMessage(name: string, how: string): string {
  return [
    `Not run: session ${name} is ${how}. You can:`,
    '1. wait: check get_session_output, or sleep;',
    '2. stop what is running there with kill_session_processes;',
    '3. run this command in another session (any new session_id);',
    '4. answer with input_in_session, if it is waiting for input.',
  ].join('\n');
}

/** The session ended or vanished between two looks; life, not a bug. */
export const isSessionError = (error: unknown, reason: SessionError['reason']) =>
  error instanceof SessionError && error.reason === reason;
