import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Duplex } from 'node:stream';
import {
  type AgentSources,
  bootstrapCommand,
  type HelperKind,
  startAgent,
} from '../computer/agent/bootstrap';
import { eventually } from './deadline';

/** For tests of the helper program: speaks the bare protocol, so that bytes can be looked at as they are. */
export interface RawAnswer {
  ok: boolean;
  /** One byte per character. */
  fields: string[];
  body: Buffer;
}

interface Told {
  fields: string[];
  body: Buffer;
}

export interface AgentProgramOptions {
  sources: AgentSources;
  helper: HelperKind;
  env: NodeJS.ProcessEnv;
  /** The login shell: gets `-c` and the command. */
  shell?: readonly string[];
}

/** One helper as a child of this process, started through the bootstrap as over SSH. */
export class AgentProgram {
  readonly child: ChildProcess;
  /** Frames nobody asked for (`d`, `g`, `e`, `c`), in order. */
  readonly told: Told[] = [];
  stderr = '';
  path = '';
  /** Of the helper itself; the child is its login shell. */
  pid = 0;
  private readonly pending = new Map<string, { parts: Buffer[]; resolve(answer: RawAnswer): void }>();
  private buffer: Buffer = Buffer.alloc(0);
  private lastId = 0;

  private constructor(child: ChildProcess) {
    this.child = child;
    child.stderr?.on('data', (data: Buffer) => {
      this.stderr += data.toString();
    });
    // It may have ended before it read everything.
    child.stdin?.on('error', () => undefined);
  }

  static async start(options: AgentProgramOptions): Promise<AgentProgram> {
    const nonce = randomBytes(8).toString('hex');
    const [shell = 'sh', ...args] = options.shell ?? ['sh', '-c'];
    const child = spawn(shell, [...args, bootstrapCommand(nonce, [options.helper])], {
      env: options.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const program = new AgentProgram(child);
    const stream = duplexOf(child);
    stream.on('error', () => undefined);
    const signal = AbortSignal.timeout(20_000);
    const { helper, path } = await startAgent(stream, { nonce, sources: options.sources, signal });
    if (helper !== options.helper) throw new Error(`${helper} was started instead of ${options.helper}`);
    program.path = path;
    stream.on('data', (piece: Buffer) => program.received(piece));
    const { body } = await program.must('exec', ['/', 20_000], Buffer.from('echo $PPID'));
    program.pid = Number(body.toString());
    return program;
  }

  /** Latin-1 text goes out as bytes; `bytesOf` makes such text of UTF-8. */
  ask(op: string, args: readonly (string | number)[] = [], body?: Uint8Array): Promise<RawAnswer> {
    return this.askAs(this.nextId(), op, args, body);
  }

  askAs(id: string, op: string, args: readonly (string | number)[], body?: Uint8Array): Promise<RawAnswer> {
    const answer = new Promise<RawAnswer>((resolve) => {
      this.pending.set(id, { parts: [], resolve });
    });
    this.send([id, op, ...args.map(String)], body);
    return answer;
  }

  /** @throws when it was refused */
  async must(op: string, args: readonly (string | number)[] = [], body?: Uint8Array): Promise<RawAnswer> {
    const answer = await this.ask(op, args, body);
    if (!answer.ok) throw new Error(`${op}: ${answer.fields.join(' | ')}`);
    return answer;
  }

  nextId(): string {
    this.lastId += 1;
    return String(this.lastId);
  }

  send(fields: readonly string[], body: Uint8Array = new Uint8Array(0)): void {
    const header = Buffer.from(fields.map(escaped).join('\t'), 'latin1');
    this.sendBytes(Buffer.concat([Buffer.from(`${header.length} ${body.length}\n`), header, body]));
  }

  sendBytes(bytes: Uint8Array): void {
    this.child.stdin?.write(bytes);
  }

  pause(): void {
    this.child.stdout?.pause();
  }

  resume(): void {
    this.child.stdout?.resume();
  }

  /** Bytes that came for a follower, in the order they came. */
  followed(fid: string | number): Buffer {
    return Buffer.concat(
      this.told.filter((each) => each.fields[0] === 'd' && each.fields[1] === String(fid)).map((d) => d.body),
    );
  }

  toldOf(kind: string, number: string | number): Told[] {
    return this.told.filter((each) => each.fields[0] === kind && each.fields[1] === String(number));
  }

  /** Closes its input and waits for its end. */
  async end(): Promise<number | null> {
    this.child.stdin?.end();
    return this.ended();
  }

  async ended(): Promise<number | null> {
    await eventually(
      'the helper has ended',
      () => this.child.exitCode !== null || this.child.signalCode !== null,
    );
    return this.child.exitCode;
  }

  private received(piece: Buffer): void {
    this.buffer = this.buffer.length === 0 ? piece : Buffer.concat([this.buffer, piece]);
    for (;;) {
      const line = this.buffer.indexOf(0x0a);
      if (line < 0) return;
      const [header = 0, body = 0] = this.buffer.toString('latin1', 0, line).split(' ').map(Number);
      const end = line + 1 + header + body;
      if (!(header > 0 && body >= 0)) throw new Error(`no frame: ${this.buffer.toString('latin1', 0, 200)}`);
      if (this.buffer.length < end) return;
      const fields = this.buffer
        .toString('latin1', line + 1, line + 1 + header)
        .split('\t')
        .map(unescaped);
      const content = Buffer.from(this.buffer.subarray(line + 1 + header, end));
      this.buffer = this.buffer.subarray(end);
      this.frame(fields, content);
    }
  }

  private frame(fields: string[], body: Buffer): void {
    const [sign = '', id = '', ...rest] = fields;
    const pending = this.pending.get(id);
    if (!'=!+'.includes(sign) || !pending) {
      this.told.push({ fields, body });
      return;
    }
    pending.parts.push(body);
    if (sign === '+') return;
    this.pending.delete(id);
    pending.resolve({ ok: sign === '=', fields: rest, body: Buffer.concat(pending.parts) });
  }
}

function duplexOf(child: ChildProcess): Duplex {
  if (!child.stdin || !child.stdout) throw new Error('the child has no pipes');
  return Duplex.from({ writable: child.stdin, readable: child.stdout });
}

/** UTF-8 as one character per byte. */
export function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export function escaped(text: string): string {
  return text.replace(
    /[%\t\n\r\0]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

export function unescaped(text: string): string {
  return text.replace(/%([0-9A-F]{2})/g, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Lines of fields in a body. */
export function tableOf(body: Buffer): string[][] {
  return body
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t').map(unescaped));
}
