import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type ResolveOptions, resolveTold } from '../config/resolve-host';
import type { ResolvedHost } from '../config/resolved-host';
import { cannotRun } from '../config/ssh-runner';
import { AskpassDesk, answerText, type RawQuestion, readQuestion } from '../login/askpass-desk';
import { failed, makeHop } from '../ssh2/ssh2-hop';
import { JoinedStream } from '../ssh2/ssh2-joined-stream';
import { ConnectFailure, type HostChannel, type HostTransport, type OpenOptions, Tail } from '../transport';
import { logName, sshArguments } from './openssh-command';
import { explainExit } from './openssh-explain';
import { OpenSshHop } from './openssh-hop';

export interface OpenSshOptions extends Omit<ResolveOptions, 'signal'> {
  /** `resources/askpass/askpass`. */
  askpassProgram: string;
  /** Where the folder of a connection's questions is made; this user's alone. */
  askFolder: string;
}

/** A program that was asked to end gets this long, ms. */
const endLimitMs = 2000;

/** Connects with the system's own ssh, for what ssh2 cannot do and for those who prefer it. */
export class OpenSshTransport implements HostTransport {
  constructor(
    private readonly alias: string,
    private readonly options: OpenSshOptions,
  ) {}

  async open(command: string, options: OpenOptions): Promise<HostChannel> {
    const host = await resolveTold(this.alias, this.options, options);
    return new Connection(this.alias, host, this.options, options).open(command);
  }
}

class Connection {
  private readonly hops: OpenSshHop[] = [];
  private readonly counts = new Map<string, number>();
  /** Why a person's answer ended it. */
  private refusal: { failure: ConnectFailure | undefined; declinedKey: boolean; hop: number } | undefined;
  private child: ChildProcessWithoutNullStreams | undefined;
  private endedBy: 'us' | 'them' | undefined;
  private taken: () => void = () => undefined;
  private opened = false;

  constructor(
    private readonly alias: string,
    private readonly host: ResolvedHost,
    private readonly setup: OpenSshOptions,
    private readonly options: OpenOptions,
  ) {}

  async open(command: string): Promise<HostChannel> {
    const { signal } = this.options;
    const desk = await AskpassDesk.open(
      this.setup.askpassProgram,
      (question) => this.ask(question),
      (file) => this.hops.find((_hop, index) => file === logName(index))?.update(),
      this.setup.askFolder,
    );
    const onAbort = () => this.end('us');
    try {
      signal.throwIfAborted();
      for (const [index, hop] of [...this.host.via, this.host].entries()) {
        const told = makeHop(hop, this.alias, this.options, hop === this.host);
        const one = new OpenSshHop(told, join(desk.folder, logName(index)), () => this.taken());
        this.hops.push(one);
        if (hop !== this.host) one.begin();
      }
      signal.addEventListener('abort', onAbort, { once: true });
      return await this.start(command, desk);
    } catch (error) {
      this.end('us');
      this.endHops();
      await desk.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  private async start(command: string, desk: AskpassDesk): Promise<HostChannel> {
    const program = this.setup.program ?? 'ssh';
    const environment = this.setup.environment ?? process.env;
    const child = spawn(program, sshArguments(this.host, command, this.setup, desk.folder), {
      env: {
        ...environment,
        ...desk.environment(),
        // Before version 8.4 ssh only asks a program when there is a display.
        DISPLAY: environment.DISPLAY || 'none:0',
        WAYMARK_ASKPASS_HOP: String(this.host.via.length),
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true, // without our terminal, and a group of its own with all it starts
    });
    this.child = child;
    const errors = new Tail(child.stderr);
    const stream = new JoinedStream(child.stdout, child.stdin, () => this.end('us'));
    const ended = new Promise<number | null>((resolve) => {
      child.once('close', (code) => {
        this.endedBy ??= 'them';
        resolve(code);
      });
    });
    const closed = ended.then(async (code) => {
      for (const hop of this.hops) await hop.update();
      await desk.close();
      stream.lose();
      return { reason: this.closeReason(code, errors.text()) };
    });
    await new Promise<void>((resolve, reject) => {
      this.taken = () => {
        this.opened = true;
        resolve();
      };
      child.on('error', (error) => reject(cannotRun(program, error)));
      ended.then((code) => {
        if (!this.opened) this.explain(code, errors).then(reject, reject);
      });
    });
    this.endHops();
    return { stream, closed, close: () => this.end('us') };
  }

  /** Ended before the command ran: the first host of the way that has something to say is where it failed. */
  private async explain(code: number | null, errors: Tail): Promise<unknown> {
    const { signal } = this.options;
    if (signal.aborted) return signal.reason;
    for (const hop of this.hops) {
      await hop.update();
      await hop.alarm();
    }
    const at = this.hops.findIndex(
      ({ log }, index) =>
        index === this.hops.length - 1 || this.refusal?.hop === index || log.authenticatedBy === undefined,
    );
    const hop = this.hops[at];
    if (!hop) return new Error('A way without hosts.');
    const mine = this.refusal?.hop === at ? this.refusal : undefined;
    const failure =
      mine?.failure ??
      explainExit(
        hop.hop.host,
        hop.log,
        hop.record,
        code,
        at === this.hops.length - 1 ? errors.text() : '',
        mine?.declinedKey === true,
      );
    return failed(hop.hop, failure);
  }

  private closeReason(code: number | null, errors: string): string {
    if (this.endedBy === 'us') return 'It was closed here.';
    const { user, hostName, port } = this.host;
    const last = this.hops.flatMap(({ log }) => log.words).at(-1);
    const words = errors !== '' ? errors : code === 255 ? (last ?? '') : '';
    const what =
      code === 255
        ? `The connection to ${user}@${hostName}:${port} ended`
        : `The command on ${user}@${hostName}:${port} ended with exit code ${code}`;
    return `${what}.${words === '' ? '' : ` ${words}`}`;
  }

  private async ask({ hop: index, kind, prompt }: RawQuestion): Promise<string | null> {
    const one = this.hops[index] ?? this.hops.at(-1);
    if (!one) return null;
    await one.update(); // the log tells which key it is about
    const { hop } = one;
    const key = `${index} ${kind} ${prompt}`;
    const count = this.counts.get(key) ?? 0;
    this.counts.set(key, count + 1);
    const question = readQuestion(kind, prompt, hop.host.userKnownHostsFiles[0] ?? '', count);
    if (question.kind === 'notice') {
      hop.report('auth', 'running', question.text);
      return '';
    }
    const answer = await hop.ask(question);
    if (answer !== null) return answerText(question, answer);
    const declinedKey = question.kind === 'unknown_host_key';
    const calledOff = () =>
      new ConnectFailure('cancelled', 'auth', `Logging in to ${hop.target} was called off.`);
    this.refusal = {
      failure: declinedKey ? undefined : calledOff(),
      declinedKey,
      hop: this.hops.indexOf(one),
    };
    this.end('us');
    return null;
  }

  private endHops(): void {
    for (const { hop } of this.hops) hop.end(new Error('This login is over.'));
  }

  private end(by: 'us' | 'them'): void {
    this.endedBy ??= by;
    const child = this.child;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    signalGroup(child.pid, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), endLimitMs);
    timer.unref();
    child.once('close', () => clearTimeout(timer));
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}
