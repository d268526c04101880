import type { OwnTerminal } from '@shared/contract/computers';
import type { OwnTerminalEvents } from '@shared/contract/ipc/own-terminal';
import type { TerminalPage } from '@shared/contract/ipc/terminals';
import { ComputerUnavailable, SessionError } from '../computer/failures';
import type { SessionChunk, SessionInfo } from '../computer/port';
import { frameBytes, maxBehind, renderSlice, TerminalScreen } from '../ipc/terminal-screen';
import type { OwnHost } from './own-host';
import { StateLooks } from './state-looks';

/** Resolves when `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Resolves after `ms` or when `signal` aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

/** Pause between two looks at the output of a terminal nobody looks at, ms. */
const hiddenPauseMs = 500;
/** Pause before a link that is said to be up is used again, ms. */
const againMs = 250;
/** Raw bytes after which it is looked whether the log has run away. */
const checkBytes = 4 * frameBytes;
/** Growth after which the host is told that it need not keep everything. */
const trimBytes = 64 * 1024 * 1024;

interface OwnSessionEvents {
  /** Something of `view` changed. */
  changed(): void;
  frame(frame: OwnTerminalEvents['live.own']): void;
  /** The session is not there any more. */
  gone(): void;
  /** What nobody asked for failed. */
  failed(error: unknown): void;
}

/**
 * One terminal of the person's own: its output followed from the host, kept nowhere but there, and shown while the window looks
 * at it. What the window cannot take in time waits on the host.
 */
export class OwnSession {
  readonly id: string;
  readonly name: string;
  private readonly host: OwnHost;
  private readonly events: OwnSessionEvents;
  private readonly stop = new AbortController();
  private turn = new AbortController();
  private screen: TerminalScreen | null = null;
  /** The window's number for the view that is shown. */
  private live = 0;
  /** Length of the log when the screen was filled: what was asked before that is not answered now. */
  private historyEnd = 0;
  private rows: number;
  private cols: number;
  private firstByte: number;
  private end: number;
  private trimmed: number;
  private unchecked = 0;
  private lastByteAt: number | null = null;
  private state: OwnTerminal['state'] = 'unknown';
  private readonly looks = new StateLooks(
    () => this.look(),
    () => this.shown,
  );
  private running: Promise<void> = Promise.resolve();

  constructor(
    host: OwnHost,
    info: SessionInfo,
    size: { rows: number; cols: number },
    events: OwnSessionEvents,
  ) {
    this.host = host;
    this.events = events;
    this.id = info.id;
    this.name = info.name;
    this.rows = size.rows;
    this.cols = size.cols;
    this.firstByte = info.droppedTo;
    this.end = info.endOffset;
    this.trimmed = info.droppedTo;
  }

  start(): void {
    this.running = this.run();
    void this.looks.now();
  }

  get view(): OwnTerminal {
    return {
      id: this.id,
      computer: this.host.name,
      name: this.name,
      rows: this.rows,
      cols: this.cols,
      startOffset: this.firstByte,
      endOffset: this.end,
      lastByteAt: this.lastByteAt,
      state: this.state,
      link: this.host.link(),
    };
  }

  /** A page for the window; `live`: frames with this number follow from its end. @throws ComputerUnavailable, SessionError */
  async read(offset: number, maxBytes: number, live: number | undefined): Promise<TerminalPage> {
    const page = await this.readFrom(offset, maxBytes);
    this.end = Math.max(this.end, page.endOffset);
    const end = page.offset + page.bytes.length;
    const { filter, bytes } = renderSlice(page.bytes, page.offset, { human: true });
    if (live !== undefined) {
      this.live = live;
      this.historyEnd = page.endOffset;
      this.screen = new TerminalScreen(end, filter, { human: true });
      this.turn.abort();
    }
    return { offset: page.offset, endOffset: end, bytes };
  }

  private async readFrom(offset: number, maxBytes: number) {
    const { sessions } = this.host.computer;
    try {
      return await sessions.read(this.name, offset, maxBytes);
    } catch (error) {
      if (!(error instanceof SessionError) || error.reason !== 'dropped') throw error;
      // The host has given that part up; the page begins at the first byte that is left.
      const info = await sessions.find(this.name);
      this.firstByte = info?.droppedTo ?? this.firstByte;
      return await sessions.read(this.name, this.firstByte, maxBytes);
    }
  }

  /** The window has parsed everything before `offset`. */
  seen(offset: number): void {
    this.screen?.seen(offset);
  }

  /** The window does not look any more. */
  hide(): void {
    if (this.screen === null) return;
    this.screen = null;
    this.turn.abort();
  }

  get shown(): boolean {
    return this.screen !== null;
  }

  /** @throws ComputerUnavailable, SessionError input_full, session_ended, session_lost */
  async write(bytes: Uint8Array): Promise<void> {
    await this.host.computer.sessions.write(this.name, bytes);
    this.looks.soon();
  }

  /** @throws ComputerUnavailable, SessionError */
  async resize(rows: number, cols: number): Promise<void> {
    await this.host.computer.sessions.resize(this.name, rows, cols);
    this.rows = rows;
    this.cols = cols;
  }

  async dispose(): Promise<void> {
    this.stop.abort();
    this.turn.abort();
    this.looks.stop();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stop.signal.aborted) {
      this.turn = new AbortController();
      const turn = this.turn;
      try {
        const { sessions } = this.host.computer;
        const from = this.screen?.at ?? this.end;
        const take = (chunk: SessionChunk) => this.take(chunk, turn);
        const { reason } = await sessions.follow(this.name, from, take, turn.signal, ({ to }) => {
          this.firstByte = to;
        });
        if (reason === 'ended') {
          await this.looks.now();
          await aborted(turn.signal);
        }
      } catch (error) {
        if (this.stop.signal.aborted) return;
        if (!(await this.outlives(error))) return;
      }
    }
  }

  /** Whether following may go on after a failure, once the link is back. */
  private async outlives(error: unknown): Promise<boolean> {
    if (error instanceof ComputerUnavailable) {
      this.events.changed();
      await pause(againMs, this.stop.signal);
      return this.host.linked(this.stop.signal).then(
        () => true,
        // Let go of, or the host was taken from the list.
        () => false,
      );
    }
    if (error instanceof SessionError && error.reason === 'dropped') {
      const info = await this.host.computer.sessions.find(this.name).catch(() => undefined);
      this.firstByte = info?.droppedTo ?? this.firstByte;
      this.end = Math.max(this.end, this.firstByte);
      if (this.screen !== null && this.screen.at < this.firstByte) this.screen.skipTo(this.firstByte);
      await pause(againMs, this.stop.signal);
      return true;
    }
    if (error instanceof SessionError && error.reason === 'session_not_found') this.events.gone();
    else this.events.failed(error);
    return false;
  }

  private async take(chunk: SessionChunk, turn: AbortController): Promise<void> {
    const { signal } = turn;
    const end = chunk.offset + chunk.bytes.length;
    this.end = Math.max(this.end, end);
    this.lastByteAt = chunk.receivedAt;
    this.events.changed();
    this.looks.soon();
    this.trim();
    const screen = this.screen;
    if (screen === null) {
      await pause(hiddenPauseMs, signal);
      await this.catchUp(chunk.bytes.length, end, turn);
      return;
    }
    if (chunk.offset > screen.at) screen.skipTo(chunk.offset);
    for (let from = screen.at - chunk.offset; from < chunk.bytes.length; from = screen.at - chunk.offset) {
      await screen.untilRoom(signal);
      if (signal.aborted) return;
      const past = screen.at < this.historyEnd;
      const size = past ? Math.min(frameBytes, this.historyEnd - screen.at) : frameBytes;
      const piece = chunk.bytes.subarray(from, from + size);
      this.events.frame({ id: this.id, live: this.live, ...screen.frame(piece, !past) });
    }
    await this.catchUp(chunk.bytes.length, screen.at, turn);
  }

  /** When the log has run away from what was taken, goes on near its end. */
  private async catchUp(bytes: number, at: number, turn: AbortController): Promise<void> {
    this.unchecked += bytes;
    if (this.unchecked < checkBytes || turn.signal.aborted) return;
    this.unchecked = 0;
    const { endOffset } = await this.host.computer.sessions.read(this.name, at, 1);
    this.end = Math.max(this.end, endOffset);
    if (turn.signal.aborted) return;
    if (this.screen === null) turn.abort();
    else if (endOffset - at > maxBehind) {
      this.screen.skipTo(endOffset - frameBytes);
      turn.abort();
    }
  }

  /** Nobody keeps the output of these terminals: what is far beyond any scrollback may go. */
  private trim(): void {
    if (this.end - this.trimmed < 2 * trimBytes) return;
    this.trimmed = this.end - trimBytes;
    this.host.computer.sessions.stored(this.name, this.trimmed).catch((error: unknown) => {
      // The next growth asks again; a host that is away is no news.
      if (!(error instanceof ComputerUnavailable)) this.events.failed(error);
    });
  }
  private async look(): Promise<{ busy: boolean }> {
    try {
      const { state, lastByteAt, endOffset } = await this.host.computer.sessions.state(this.name);
      this.state = state;
      this.end = Math.max(this.end, endOffset);
      this.lastByteAt ??= endOffset > 0 ? lastByteAt : null;
      this.events.changed();
      return { busy: state === 'busy' };
    } catch (error) {
      if (error instanceof SessionError && error.reason === 'session_not_found') this.events.gone();
      else if (!(error instanceof ComputerUnavailable) && !this.stop.signal.aborted)
        this.events.failed(error);
      return { busy: false };
    }
  }
}
