import type { Readable, Writable } from 'node:stream';
import { type Failure, type Result, toFailure } from '@shared/contract/errors';
import type { EventName, EventPayloads } from '@shared/contract/ipc';
import { answerCommand, type Handlers, type ReportBug } from '../commands/dispatch';
import type { Publisher } from '../ipc/publish';
import { EventQueue } from './event-queue';
import { encodeFrame, MessageDecoder } from './frames';
import {
  answerLimit,
  type FromServer,
  type FromWindow,
  firstLine,
  fromWindow,
  type Hello,
  protocolVersion,
  requestLimit,
  silenceMs,
} from './protocol';

/** Commands that are answered at the same time; a window that asks for more waits. */
const mostAtOnce = 64;
/** While so much waits for the link, events are gathered and no further command is read, bytes. */
const fullBytes = 1024 * 1024;

/** An open workspace, as one window sees it. */
export interface Served {
  folder: string;
  handlers: Partial<Handlers>;
  /** The answer to a command whose entry is stored already; null when it is not. */
  answered(entry: string, command: string, input: unknown): Promise<Result<unknown> | null>;
  /** Runs a command so that the entry it writes gets this id. */
  withEntry<T>(entry: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface ServeOptions {
  input: Readable;
  output: Writable;
  /** The program's. */
  version: string;
  open(hello: Hello, publisher: Publisher): Promise<Served>;
  report: ReportBug;
}

/**
 * One window at the other end of two streams: hello, then commands and events, until the streams end or nothing is heard
 * any more. What is no frame, no command or another protocol ends or is refused, and touches nothing else.
 */
export class ServeSession {
  private readonly options: ServeOptions;
  private readonly decoder = new MessageDecoder(requestLimit);
  private readonly events = new EventQueue();
  private readonly active = new Set<Promise<void>>();
  private opening: Promise<Served | null> | null = null;
  private silence: NodeJS.Timeout | undefined;
  private ended = false;
  private finish: (reason: string) => void = () => undefined;

  constructor(options: ServeOptions) {
    this.options = options;
  }

  /** Serves until the other end is gone; resolves with why, when the workspace is closed. Never rejects. */
  async run(): Promise<string> {
    const { input, output, version } = this.options;
    const over = new Promise<string>((resolve) => {
      this.finish = (reason) => {
        this.ended = true;
        resolve(reason);
      };
    });
    input.on('data', (piece: Buffer) => this.heard(piece));
    input.once('end', () => this.finish('The window closed the link.'));
    input.once('close', () => this.finish('The link is gone.'));
    input.once('error', (error) => this.finish(`The link broke: ${error.message}`));
    output.on('error', (error: Error) => this.finish(`The link broke: ${error.message}`));
    output.on('drain', () => this.flow());
    this.hearAgain();
    output.write(firstLine(version));
    const reason = await over;
    clearTimeout(this.silence);
    input.pause();
    // What was begun is ended in order: a write that was asked for is stored.
    await Promise.all(this.active);
    const served = await this.opening;
    await served?.close();
    await this.flushed();
    return reason;
  }

  /** Ends as if the window had gone. */
  end(reason: string): void {
    this.finish(reason);
  }

  private heard(piece: Buffer): void {
    if (this.ended) return;
    this.hearAgain();
    try {
      this.decoder.push(piece, (message) => this.take(message));
    } catch (thrown) {
      this.refuse({
        code: 'bad_input',
        message: `This is not Waymark's protocol: ${(thrown as Error).message}`,
      });
    }
    this.flow();
  }

  private hearAgain(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(
      () => this.finish(`Nothing was heard from the window for ${silenceMs / 1000} s.`),
      silenceMs,
    );
  }

  private take(raw: unknown): void {
    if (this.ended) return;
    if (this.opening === null) {
      this.greet(raw);
      return;
    }
    const parsed = fromWindow.safeParse(raw);
    if (!parsed.success || parsed.data.kind === 'hello') {
      this.refuse({ code: 'bad_input', message: 'A message of the window was not understood.' });
      return;
    }
    const message = parsed.data;
    if (message.kind === 'ping') {
      this.send({ kind: 'pong', id: message.id });
      return;
    }
    const done = this.answer(message).finally(() => {
      this.active.delete(done);
      this.flow();
    });
    this.active.add(done);
  }

  private greet(raw: unknown): void {
    // Another protocol's hello may look otherwise: its number is read first.
    const protocol = typeof raw === 'object' && raw !== null && 'protocol' in raw ? raw.protocol : null;
    if (typeof protocol === 'number' && protocol !== protocolVersion) {
      this.refuse({
        code: 'unsupported',
        message: `The window speaks protocol ${protocol} and this server protocol ${protocolVersion} (Waymark ${this.options.version}). Install the same version of Waymark on both.`,
      });
      return;
    }
    const parsed = fromWindow.safeParse(raw);
    if (!parsed.success || parsed.data.kind !== 'hello') {
      this.refuse({ code: 'bad_input', message: 'The first message was no hello.' });
      return;
    }
    this.opening = this.open(parsed.data);
  }

  private async open(hello: Hello): Promise<Served | null> {
    const { open, version } = this.options;
    try {
      const served = await open(hello, { publish: (name, payload) => this.publish(name, payload) });
      this.send({ kind: 'welcome', folder: served.folder, version });
      return served;
    } catch (thrown) {
      this.refuse(toFailure(thrown));
      return null;
    }
  }

  private async answer(request: Extract<FromWindow, { kind: 'request' }>): Promise<void> {
    const served = await this.opening;
    if (!served) return;
    const result = await this.result(served, request);
    try {
      this.send({ kind: 'answer', id: request.id, result });
    } catch (thrown) {
      const message = `The answer to ${request.command.slice(0, 80)} is too long for the link: ${(thrown as Error).message}`;
      this.send({
        kind: 'answer',
        id: request.id,
        result: { ok: false, error: { code: 'refused', message } },
      });
    }
  }

  private async result(
    served: Served,
    { command, input, entry }: Extract<FromWindow, { kind: 'request' }>,
  ): Promise<Result<unknown>> {
    const answer = () => answerCommand(served.handlers, command, input, this.options.report);
    if (entry === undefined) return answer();
    try {
      return (await served.answered(entry, command, input)) ?? (await served.withEntry(entry, answer));
    } catch (thrown) {
      return { ok: false, error: toFailure(thrown) };
    }
  }

  private publish<E extends EventName>(name: E, payload: EventPayloads[E]): void {
    if (this.ended) return;
    if (this.full || this.events.size > 0) this.events.add(name, payload);
    else this.send({ kind: 'event', name, payload });
  }

  private get full(): boolean {
    return this.options.output.writableLength > fullBytes;
  }

  /** Sends what waited as far as there is room, and reads on only when there is. */
  private flow(): void {
    if (this.ended) return;
    while (!this.full) {
      const event = this.events.next();
      if (event === null) break;
      this.send({ kind: 'event', ...event });
    }
    const { input } = this.options;
    if (this.full || this.active.size >= mostAtOnce) input.pause();
    else input.resume();
  }

  private send(message: FromServer): void {
    if (!this.options.output.destroyed) this.options.output.write(encodeFrame(message, answerLimit));
  }

  private refuse(failure: Failure): void {
    this.send({ kind: 'refused', failure: { ...failure, detail: undefined } });
    this.finish(failure.message);
  }

  /** Last words are on their way; a link that takes nothing any more is not waited for. */
  private flushed(): Promise<void> {
    const { output } = this.options;
    if (output.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 2_000);
      output.end(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
