import { WaymarkError } from '@shared/errors';
import type { NewEvent } from '@shared/events';
import { fromLineStart, modelText } from '@shared/terminal/model-text';
import type { Clock } from '../clock';
import { SessionError } from '../computer/failures';
import type { Computer, SessionInfo, SessionState } from '../computer/port';
import { counted, duration } from './action';
import type { ActionFacts } from './action-facts';
import type { ActionTaskView } from './task-view';
import { splitLines } from './text-file';

/** Most bytes of a session's log that are turned into text for one observation. */
const maxSlice = 4 * 1024 * 1024;
const headSlice = 512 * 1024;
const chunk = 1024 * 1024;
/** How long a shell may take to get to its prompt or to a command, and how often to look, ms. */
const settleMs = 2000;
const pollMs = 10;

/** The session that commands run in when the agent names none. */
export const defaultSession = 'main';

/** Sessions and computers by the names the agent uses. */
export class SessionDesk {
  readonly #offsets = new Map<string, number>();

  constructor(
    private readonly task: ActionTaskView,
    private readonly computers: ReadonlyMap<string, Computer>,
    private readonly facts: ActionFacts,
    private readonly clock: Clock,
  ) {}

  /** @throws WaymarkError not_found with the names there are */
  computer(name: string | undefined): Computer {
    const own = this.task.computers.map((computer) => computer.name);
    const wanted = name ?? this.task.filesComputer;
    const found = own.includes(wanted) ? wanted : this.task.aliases[wanted];
    const computer = found === undefined ? undefined : this.computers.get(found);
    if (computer) return computer;
    throw new WaymarkError(
      'not_found',
      `There is no computer "${wanted}". The computers are: ${own.join(', ')}.`,
    );
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
    if (!existing) return { info: await this.#create(computer, name), note: '', created: true };
    const { state, exitCode } = await computer.sessions.state(name);
    if (state !== 'ended' && state !== 'lost') return { info: existing, note: '', created: false };
    await computer.sessions.close(name);
    const how =
      state === 'lost'
        ? 'was lost'
        : `had ended${exitCode === undefined ? '' : ` with exit code ${exitCode}`}`;
    return {
      info: await this.#create(computer, name),
      note: `The shell of session ${name} ${how}; this is a fresh one with its own directory and variables.\n`,
      created: true,
    };
  }

  #create(computer: Computer, name: string): Promise<SessionInfo> {
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

  /** @throws WaymarkError not_found with the names there are */
  async existing(computer: Computer, name: string): Promise<SessionInfo> {
    const info = await computer.sessions.find(name);
    if (info) return info;
    const names = (await computer.sessions.list()).map((session) => session.name);
    const others = names.length === 0 ? 'It has none yet' : `Its sessions are: ${names.join(', ')}`;
    throw new WaymarkError('not_found', `There is no session "${name}" on ${computer.name}. ${others}.`);
  }

  /** Raw bytes `from`..`to` as the model reads them; the middle of more than 4 MB is left out and counted. */
  async text(computer: Computer, name: string, from: number, to: number): Promise<string> {
    if (to - from <= maxSlice) return modelText(await this.#bytes(computer, name, from, to));
    const tailFrom = to - (maxSlice - headSlice);
    const head = modelText(await this.#bytes(computer, name, from, from + headSlice));
    const tail = modelText(fromLineStart(await this.#bytes(computer, name, tailFrom, to)));
    const left = tailFrom - from - headSlice;
    return `${head}\n[… about ${counted(left, 'byte')} of output left out here …]\n${tail}`;
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
    const bytes = await this.#bytes(computer, info.name, from, endOffset);
    const text = modelText(from > floor ? fromLineStart(bytes) : bytes);
    return { lines: splitLines(text).lines, partial: from > floor, endOffset };
  }

  async #bytes(computer: Computer, name: string, from: number, to: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let at = from;
    while (at < to) {
      const { bytes } = await computer.sessions.read(name, at, Math.min(chunk, to - at));
      if (bytes.length === 0) break;
      parts.push(bytes.slice());
      at += bytes.length;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /**
   * Compares the sessions there are with those the log knows: events for new and ended ones, and the end offsets
   * that go with the next observation.
   */
  async reconcile(): Promise<NewEvent[]> {
    const events: NewEvent[] = [];
    for (const computer of this.several(undefined)) {
      const seen = new Set<string>();
      for (const info of await computer.sessions.list()) {
        const key = `${computer.name}:${info.name}`;
        seen.add(key);
        this.#offsets.set(key, info.endOffset);
        const known = this.facts.sessions.get(key);
        if (known && known.uid !== info.id && !known.ended) {
          events.push(this.#ended(computer.name, info.name, known.uid, null, 0));
        }
        if (known?.uid !== info.id) {
          const { rows, cols } = this.task.terminal;
          events.push({
            kind: 'session.opened',
            body: { computer: computer.name, session: info.name, uid: info.id, rows, cols },
          });
        }
        if (!info.alive && !(known?.uid === info.id && known.ended)) {
          const { exitCode } = await computer.sessions.state(info.name);
          events.push(this.#ended(computer.name, info.name, info.id, exitCode ?? null, info.endOffset));
        }
      }
      for (const [key, known] of this.facts.sessions) {
        if (!key.startsWith(`${computer.name}:`) || seen.has(key)) continue;
        const offset = this.#offsets.get(key) ?? 0;
        if (!known.ended) {
          events.push(
            this.#ended(computer.name, key.slice(computer.name.length + 1), known.uid, null, offset),
          );
        }
        this.#offsets.delete(key);
      }
    }
    return events;
  }

  /** Closes a session; its end is an event. */
  async close(computer: Computer, info: SessionInfo): Promise<NewEvent[]> {
    const { id, exitCode, endOffset } = await computer.sessions.close(info.name);
    this.#offsets.delete(`${computer.name}:${info.name}`);
    const known = this.facts.sessions.get(`${computer.name}:${info.name}`);
    if (known?.uid !== id || known.ended) return [];
    return [this.#ended(computer.name, info.name, id, exitCode, endOffset)];
  }

  #ended(
    computer: string,
    session: string,
    uid: string,
    exitCode: number | null,
    endOffset: number,
  ): NewEvent {
    return { kind: 'session.ended', body: { computer, session, uid, exitCode, endOffset } };
  }

  /** End offset of every session, keyed `computer:session`, as of the last `reconcile`. */
  offsets(): Record<string, number> {
    return Object.fromEntries(this.#offsets);
  }
}

/** `busy: running "make" for 12 s` and the like. `now` is the host's clock, ms. */
export function describeState(state: SessionState, now: number): string {
  const running = state.foreground.map((process) => process.command).filter((command) => command !== '');
  const what = running.length > 0 ? `, running "${running.slice(0, 3).join('", "')}"` : '';
  const since =
    state.command?.startedAt === undefined ? '' : ` for ${duration(now - state.command.startedAt)}`;
  const words: Record<SessionState['state'], string> = {
    idle: 'idle',
    busy: `busy${what}${since}`,
    waiting: `waiting for input${state.echo === false ? ' (probably a password)' : ''}${what}`,
    interactive: `in an interactive program${what}`,
    ended: `ended${state.exitCode === undefined ? '' : ` with exit code ${state.exitCode}`}`,
    lost: 'lost (its host restarted or it was killed from outside)',
  };
  return words[state.state] + (state.diskFull ? '; the disk is full and output is held back' : '');
}

/** The four ways on that a command in a session that is not idle is answered with. */
export function busyMessage(name: string, state: SessionState | undefined, now: number): string {
  const how = state ? describeState(state, now) : 'busy';
  return [
    `Not run: session ${name} is ${how}. You can:`,
    '1. wait: look with get_session_output, or sleep;',
    '2. end what runs there with kill_session_processes;',
    '3. run this command in another session (any new session_id);',
    '4. answer it with input_in_session, if it waits for input.',
  ].join('\n');
}

/** The session ended or vanished between two looks; life, not a bug. */
export const isSessionError = (error: unknown, reason: SessionError['reason']) =>
  error instanceof SessionError && error.reason === reason;
