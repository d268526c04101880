import { Duplex } from 'node:stream';
import { encodeHead, type Frame, FrameDecoder } from '../computer/agent/frames';
import type { HelperStarter } from '../computer/ssh/link/connect-attempt';
import type { HostChannel, HostTransport, OpenOptions } from '../computer/ssh/transport';

type Answer = (
  frame: Frame,
) => { fields: string[]; body?: string } | Promise<{ fields: string[]; body?: string }>;

/** What a host says in `hello` unless a test says otherwise. */
export const plainHello: Readonly<Record<string, string>> = {
  platform: 'linux',
  hostname: 'gpu-04',
  user: 'ada',
  home: '/home/ada',
  cpus: '8',
  memory: String(64 * 1024 ** 3),
  bash: '/bin/bash',
  bash_version: '5.2.15(1)-release',
  helper: 'perl',
  helper_version: '5.36.0',
  helper_lacks: '',
  base: '/home/ada/.local/state/waymark/sessions',
  base_fs: 'ext4',
  base_why: "Sessions are kept in the home directory, which is on this host's own disk.",
  free: String(400 * 1024 ** 3),
  total: String(1000 * 1024 ** 3),
  boot: 'b0',
  punch: '1',
  notify: '1',
  kill_user_processes: 'no',
  linger: '',
  now: '0',
};

/** For links over a `ScriptedHost`: its helper speaks frames from the first byte. */
export const scriptedHelper: HelperStarter = {
  version: 'test',
  prepare: () => ({ command: 'helper', begin: async () => undefined }),
};

/** A host in this process that answers `hello` and `ping`, for tests of states and times. No files, no sessions. */
export class ScriptedHost implements HostTransport {
  /** Connections asked for so far. */
  opens = 0;
  hello: Record<string, string> = { ...plainHello };
  /** Answers to other requests, by operation. */
  readonly answers = new Map<string, Answer>();
  /** What each connection goes through before it stands; throwing refuses it. */
  onOpen: (options: OpenOptions) => Promise<void> | void = () => undefined;
  private readonly lines = new Set<HostLine>();
  private frozen = false;

  async open(_command: string, options: OpenOptions): Promise<HostChannel> {
    this.opens += 1;
    await this.onOpen(options);
    options.signal.throwIfAborted();
    const line = new HostLine(
      (frame) => this.answer(frame),
      () => this.lines.delete(line),
    );
    this.lines.add(line);
    line.frozen = this.frozen;
    return line;
  }

  /** Channels that were not closed. */
  get channels(): number {
    return this.lines.size;
  }

  /** The connection breaks and both ends learn of it. */
  cut(reason = ''): void {
    for (const line of [...this.lines]) line.end(reason);
  }

  /** Nothing is answered any more and nothing is closed: a stopped process or a silent network. */
  freeze(): void {
    this.setFrozen(true);
  }

  /** Everything asked meanwhile is answered. */
  thaw(): void {
    this.setFrozen(false);
  }

  /** The host sends this by itself. */
  say(fields: string[], body?: string): void {
    for (const line of this.lines) line.say(fields, body);
  }

  private setFrozen(frozen: boolean): void {
    this.frozen = frozen;
    for (const line of this.lines) {
      line.frozen = frozen;
      line.takeIn();
    }
  }

  private async answer(frame: Frame): Promise<{ fields: string[]; body?: string }> {
    const answer = this.answers.get(frame.fields[1] ?? '');
    if (answer) return answer(frame);
    if (frame.fields[1] === 'ping') return { fields: [String(Date.now())] };
    if (frame.fields[1] === 'hello') {
      return { fields: Object.entries(this.hello).map(([name, value]) => `${name}=${value}`) };
    }
    throw new Error(`The scripted host has no answer to ${frame.fields[1]}.`);
  }
}

class HostLine implements HostChannel {
  readonly stream: Duplex;
  readonly closed: Promise<{ reason: string }>;
  frozen = false;
  private readonly decoder = new FrameDecoder();
  private readonly answer: (frame: Frame) => Promise<{ fields: string[]; body?: string }>;
  private readonly gone: () => void;
  private waiting: Buffer[] = [];
  private tellClosed: (end: { reason: string }) => void = () => undefined;

  constructor(answer: (frame: Frame) => Promise<{ fields: string[]; body?: string }>, gone: () => void) {
    this.answer = answer;
    this.gone = gone;
    this.closed = new Promise((resolve) => {
      this.tellClosed = resolve;
    });
    this.stream = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        this.waiting.push(chunk);
        this.takeIn();
        done();
      },
      destroy: (error, done) => {
        this.end('');
        done(error);
      },
    });
  }

  close(): void {
    this.end('');
  }

  end(reason: string): void {
    this.gone();
    this.tellClosed({ reason });
    this.stream.destroy();
  }

  takeIn(): void {
    if (this.frozen) return;
    const pieces = this.waiting;
    this.waiting = [];
    for (const piece of pieces) this.decoder.push(piece, (frame) => void this.reply(frame));
  }

  say(fields: string[], body = ''): void {
    if (this.frozen || this.stream.destroyed) return;
    const bytes = Buffer.from(body);
    this.stream.push(Buffer.concat([encodeHead(fields, bytes.length), bytes]));
  }

  private async reply({ fields, body }: Frame): Promise<void> {
    const [id = '', op = ''] = fields;
    if (op === 'cancel' || op === 'credit') return;
    try {
      const answer = await this.answer({ fields, body });
      this.say(['=', id, ...answer.fields], answer.body);
    } catch (error) {
      this.say(['!', id, 'bad_request', (error as Error).message]);
    }
  }
}
