import type { Duplex } from 'node:stream';
import { AgentRefusal, ChannelLost } from './agent-failures';
import { moment } from './answer-numbers';
import { type FollowEnd, Follower, type FollowOptions, followWindow } from './follower';
import { FrameSender } from './frame-sender';
import { type Frame, FrameDecoder } from './frames';
import { type HelloFacts, parseHello } from './hello';

export interface AgentAnswer {
  fields: string[];
  /** Copy what is kept for long; see `Frame.body`. */
  body: Uint8Array;
}

export interface RequestOptions {
  /** At most 1 MB. */
  body?: Uint8Array | undefined;
  /** Rejects with its reason and tells the host to stop. */
  signal?: AbortSignal | undefined;
  /** Of this side's clock; rejects with an `AgentRefusal` `timed_out`. Default: as long as the channel lives. */
  timeoutMs?: number | undefined;
  /** Bodies of answers that come in several parts, before the last. */
  onPart?: ((body: Uint8Array) => void) | undefined;
}

interface Pending {
  resolve(answer: AgentAnswer): void;
  reject(error: unknown): void;
  onPart: ((body: Uint8Array) => void) | undefined;
  /** Bytes of the parts so far. */
  parts: number;
}

/** Beyond all that may be asked for: what is longer has no end. */
const maxAnswerBytes = 256 * 1024 * 1024;

/**
 * One channel to a host's helper program (`docs/host-agent.md`): requests in any number at once, followers with
 * credit, watches. Holds no more than `followWindow` bytes for each follower and one frame. After the channel's end
 * everything rejects with `ChannelLost`; a new channel gets a new client.
 */
export class AgentClient {
  /** Resolves once, with why the channel is of no more use. */
  readonly closed: Promise<ChannelLost>;
  private readonly stream: Duplex;
  private readonly sender: FrameSender;
  private readonly decoder = new FrameDecoder();
  private readonly pending = new Map<string, Pending>();
  private readonly followers = new Map<string, Follower>();
  private readonly watches = new Map<string, () => void>();
  private tellClosed: (lost: ChannelLost) => void = () => undefined;
  private lost: ChannelLost | undefined;
  private lastId = 0;
  private heardAt = Date.now();

  /** `stream`: input and output of a helper that runs already. */
  constructor(stream: Duplex) {
    this.stream = stream;
    this.closed = new Promise((resolve) => {
      this.tellClosed = resolve;
    });
    this.sender = new FrameSender(stream);
    stream.on('data', (piece: Uint8Array) => this.received(piece));
    stream.on('error', (error: Error) => this.lose(new ChannelLost(`${error.message}.`, { cause: error })));
    stream.on('end', () => this.lose(new ChannelLost("the host's helper program ended.")));
    stream.on('close', () => this.lose(new ChannelLost('the connection was closed.')));
    // It may have ended before anybody listened.
    if (stream.destroyed || stream.readableEnded) this.lose(new ChannelLost('the connection was closed.'));
    // Whoever read the helper's first line has paused it.
    else stream.resume();
  }

  /** Our clock, ms since 1970: when the host last sent anything. */
  get lastByteAt(): number {
    return this.heardAt;
  }

  /** Bytes given to the channel so far. */
  get bytesSent(): number {
    return this.sender.bytesSent;
  }

  /** Gives the channel up; what is still asked for rejects. */
  close(reason = 'it was closed here.'): void {
    this.lose(new ChannelLost(reason));
  }

  /** @throws AgentRefusal, ChannelLost, the signal's reason */
  request(op: string, args: readonly string[] = [], options: RequestOptions = {}): Promise<AgentAnswer> {
    const { body, signal, timeoutMs, onPart } = options;
    return new Promise((resolve, reject) => {
      if (this.lost) return reject(this.lost);
      if (signal?.aborted) return reject(signal.reason);
      const id = this.nextId();
      const giveUp = (reason: unknown) => {
        if (!this.pending.delete(id)) return;
        settle();
        this.tell(['cancel', id]);
        reject(reason);
      };
      const onAbort = () => giveUp(signal?.reason);
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(
              () => giveUp(new AgentRefusal('timed_out', `no answer to ${op} within ${timeoutMs} ms`)),
              timeoutMs,
            );
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.pending.set(id, {
        onPart,
        parts: 0,
        resolve: (answer) => {
          settle();
          resolve(answer);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      try {
        this.sender.send([id, op, ...args], body);
      } catch (error) {
        this.pending.delete(id);
        settle();
        reject(error);
      }
    });
  }

  /**
   * Hands over every byte of the session's log from `offset` on; see `SessionHost.follow`. A consumer that takes its
   * time holds up only itself. @throws AgentRefusal session_not_found; ChannelLost; what the consumer throws
   */
  async follow(directory: string, offset: number, options: FollowOptions): Promise<FollowEnd> {
    if (options.signal.aborted) return { reason: 'aborted', offset };
    if (this.lost) throw this.lost;
    const id = this.nextId();
    const follower = new Follower(offset, options, (bytes) => this.tell(['credit', id, String(bytes)]));
    this.followers.set(id, follower);
    this.request('follow', [id, directory, String(offset), String(followWindow)]).catch((error: Error) =>
      follower.fail(error),
    );
    try {
      const end = await follower.run();
      if (end.reason === 'aborted') this.tell(['unfollow', id]);
      return end;
    } catch (error) {
      this.tell(['unfollow', id]);
      throw error;
    } finally {
      this.followers.delete(id);
    }
  }

  /** `onChange` at every change of the session's directory, and when the watch cannot be kept up. */
  watch(directory: string, onChange: () => void): { close(): void } {
    const id = this.nextId();
    this.watches.set(id, onChange);
    // Without a watch the caller's poll carries on alone.
    this.request('watch', [id, directory]).catch(onChange);
    return {
      close: () => {
        if (this.watches.delete(id)) this.tell(['unwatch', id]);
      },
    };
  }

  /** A round trip. `now`: host clock, ms. @throws ChannelLost */
  async ping(): Promise<{ roundTripMs: number; now: number }> {
    const started = performance.now();
    const { fields } = await this.request('ping');
    return { roundTripMs: performance.now() - started, now: moment(fields[0], 'its clock') };
  }

  /** @throws ChannelLost, WaymarkError unsupported */
  async hello(version: string): Promise<HelloFacts> {
    const { fields } = await this.request('hello', [version]);
    return parseHello(fields);
  }

  private nextId(): string {
    this.lastId += 1;
    return String(this.lastId);
  }

  /** A request whose answer nobody waits for. */
  private tell(words: readonly string[]): void {
    if (this.lost) return;
    this.sender.send([this.nextId(), ...words], undefined);
  }

  private received(piece: Uint8Array): void {
    if (this.lost) return;
    this.heardAt = Date.now();
    try {
      this.decoder.push(piece, (frame) => this.accept(frame));
    } catch (error) {
      this.lose(
        error instanceof ChannelLost ? error : new ChannelLost((error as Error).message, { cause: error }),
      );
    }
  }

  private accept({ fields, body }: Frame): void {
    const [kind, id = '', ...rest] = fields;
    switch (kind) {
      case '=':
        this.take(id)?.resolve({ fields: rest, body });
        break;
      case '!':
        this.take(id)?.reject(new AgentRefusal(rest[0] ?? '', rest[1] ?? '', rest.slice(2)));
        break;
      case '+':
        this.part(this.pending.get(id), body);
        break;
      case 'd':
        this.followers.get(id)?.bytes(rest, body);
        break;
      case 'g':
        this.followers.get(id)?.gap(rest);
        break;
      case 'e':
        this.followers.get(id)?.ended(rest);
        break;
      case 'c':
        this.watches.get(id)?.();
        break;
      default:
        throw new ChannelLost(`the host's helper sent a frame of an unknown kind (${kind}).`);
    }
  }

  /** @throws ChannelLost for an answer without end */
  private part(pending: Pending | undefined, body: Uint8Array): void {
    if (!pending) return;
    pending.parts += body.length;
    if (pending.parts > maxAnswerBytes)
      throw new ChannelLost(`the host's answer is longer than ${maxAnswerBytes >> 20} MB.`);
    pending.onPart?.(body);
  }

  /** Answers to what was given up meanwhile are passed over. */
  private take(id: string): Pending | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    return pending;
  }

  private lose(lost: ChannelLost): void {
    if (this.lost) return;
    this.lost = lost;
    for (const pending of this.pending.values()) pending.reject(lost);
    this.pending.clear();
    for (const follower of this.followers.values()) follower.fail(lost);
    const watches = [...this.watches.values()];
    this.watches.clear();
    for (const onChange of watches) onChange();
    this.tellClosed(lost);
    this.stream.destroy();
  }
}
