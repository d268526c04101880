import type { Duplex } from 'node:stream';
import { type Failure, type Result, WaymarkError } from '@shared/contract/errors';
import { encodeFrame, MessageDecoder } from '../serve/frames';
import {
  answerLimit,
  type FromServer,
  type FromWindow,
  fromServer,
  type Hello,
  preambleLimit,
  protocolVersion,
  readFirstLine,
  requestLimit,
} from '../serve/protocol';

export interface Welcome {
  folder: string;
  /** Version of the program there. */
  version: string;
}

/** The server said no: what it says is for a person, and asking again changes nothing. */
export class ServeRefusal extends WaymarkError {
  constructor({ code, message }: Failure) {
    super(code, message);
    this.name = 'ServeRefusal';
  }
}

/** The channel is gone. The message is a sentence without the host's name. */
export class ServeLost extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ServeLost';
  }
}

type Wait = (outcome: { value: Result<unknown> } | { lost: ServeLost }) => void;

/** The window's end of one channel to `waymark serve --stdio`. */
export class ServeClient {
  /** Resolves with a sentence when the channel is of no use any more. */
  readonly closed: Promise<string>;
  private readonly stream: Duplex;
  private readonly onEvent: (name: string, payload: unknown) => void;
  private readonly decoder = new MessageDecoder(answerLimit);
  private readonly waiting = new Map<number, Wait>();
  private preamble: Buffer | null = Buffer.alloc(0);
  private next = 1;
  private sent = 0;
  private lost: ServeLost | null = null;
  private settle: (reason: string) => void = () => undefined;
  private greeting: { hello: Hello; resolve(welcome: Welcome): void; reject(error: Error): void } | null =
    null;
  private began: string | null = null;

  constructor(stream: Duplex, onEvent: (name: string, payload: unknown) => void) {
    this.stream = stream;
    this.onEvent = onEvent;
    this.closed = new Promise((resolve) => {
      this.settle = resolve;
    });
    stream.on('data', (piece: Buffer) => this.heard(piece));
    stream.on('error', (error: Error) => this.end(new ServeLost(`the link broke: ${error.message}.`)));
    stream.once('end', () => this.end(new ServeLost('the program there ended.')));
    stream.once('close', () => this.end(new ServeLost('the link was closed.')));
  }

  /** Bytes given to the channel so far. */
  get bytesSent(): number {
    return this.sent;
  }

  /** @throws ServeRefusal (another protocol, a workspace that cannot be opened), ServeLost */
  hello(hello: Hello): Promise<Welcome> {
    return new Promise((resolve, reject) => {
      this.greeting = { hello, resolve, reject };
      if (this.lost) reject(this.lost);
      else if (this.began !== null) this.send(hello);
    });
  }

  /** @throws ServeLost; WaymarkError bad_input when the input is too long for the link */
  async ask(command: string, input: unknown, entry?: string): Promise<Result<unknown>> {
    const id = this.id();
    const request = { kind: 'request', id, command, input } as const;
    return this.wait(id, entry === undefined ? request : { ...request, entry });
  }

  /** @throws ServeLost */
  async ping(): Promise<void> {
    const id = this.id();
    await this.wait(id, { kind: 'ping', id });
  }

  /** What is still asked for fails with `reason`. */
  close(reason: string): void {
    this.end(new ServeLost(reason));
  }

  private id(): number {
    this.next += 1;
    return this.next;
  }

  private wait(id: number, message: FromWindow): Promise<Result<unknown>> {
    return new Promise((resolve, reject) => {
      if (this.lost) {
        reject(this.lost);
        return;
      }
      this.waiting.set(id, (outcome) => {
        if ('lost' in outcome) reject(outcome.lost);
        else resolve(outcome.value);
      });
      try {
        this.send(message);
      } catch (thrown) {
        this.waiting.delete(id);
        reject(
          new WaymarkError(
            'bad_input',
            `This is too long to be sent to the server: ${(thrown as Error).message}`,
          ),
        );
      }
    });
  }

  private send(message: FromWindow): void {
    const frame = encodeFrame(message, requestLimit);
    this.sent += frame.length;
    this.stream.write(frame);
  }

  private heard(piece: Buffer): void {
    if (this.lost) return;
    try {
      const frames = this.preamble === null ? piece : this.begin(this.preamble, piece);
      if (frames !== null) this.decoder.push(frames, (raw) => this.take(raw));
    } catch (thrown) {
      if (thrown instanceof ServeRefusal) this.refused(thrown);
      else
        this.end(
          new ServeLost(`what the server sent is not Waymark's protocol: ${(thrown as Error).message}`),
        );
    }
  }

  /** Looks for the server's first line behind what a login shell prints; returns the bytes after it. */
  private begin(before: Buffer, piece: Buffer): Buffer | null {
    const all = Buffer.concat([before, piece]);
    const found = readFirstLine(all.toString('latin1'));
    if (found === null) {
      this.preamble = all;
      if (all.length > preambleLimit) throw new Error(`No first line came; instead: ${shown(all)}`);
      return null;
    }
    this.preamble = null;
    this.began = found.version;
    if (found.protocol !== protocolVersion) {
      throw new ServeRefusal({
        code: 'unsupported',
        message: `The server speaks protocol ${found.protocol} (Waymark ${found.version}) and this window protocol ${protocolVersion}. Install the same version of Waymark on both.`,
      });
    }
    if (this.greeting) this.send(this.greeting.hello);
    return all.subarray(found.end);
  }

  private take(raw: unknown): void {
    if (this.lost) return;
    const message: FromServer = fromServer.parse(raw);
    switch (message.kind) {
      case 'welcome':
        this.greeting?.resolve(message);
        this.greeting = null;
        return;
      case 'refused':
        throw new ServeRefusal({ code: message.failure.code, message: message.failure.message });
      case 'event':
        this.onEvent(message.name, message.payload);
        return;
      case 'answer':
        this.settleOne(message.id, message.result as Result<unknown>);
        return;
      case 'pong':
        this.settleOne(message.id, { ok: true, value: undefined });
        return;
    }
  }

  private settleOne(id: number, value: Result<unknown>): void {
    const settle = this.waiting.get(id);
    this.waiting.delete(id);
    settle?.({ value });
  }

  private refused(refusal: ServeRefusal): void {
    this.greeting?.reject(refusal);
    this.greeting = null;
    this.end(new ServeLost(refusal.message));
  }

  private end(lost: ServeLost): void {
    if (this.lost) return;
    const printed = this.preamble && this.preamble.length > 0 ? ` It printed: ${shown(this.preamble)}` : '';
    this.lost = printed === '' ? lost : new ServeLost(`${lost.message}${printed}`);
    this.greeting?.reject(this.lost);
    this.greeting = null;
    for (const settle of this.waiting.values()) settle({ lost: this.lost });
    this.waiting.clear();
    this.settle(this.lost.message);
  }
}

/** The last of what a program printed, for a message. */
function shown(bytes: Buffer): string {
  return bytes
    .subarray(-400)
    .toString('utf8')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}
