import type { RemoteStatus } from '@shared/contract/ipc/remote';
import { BackOff } from '../base/back-off';
import type { LinkClock } from '../clock';
import { linkPauses } from '../computer/ssh/link/host-link';
import * as words from '../computer/ssh/link/link-words';
import { Liveness } from '../computer/ssh/link/liveness';
import { NetworkWatch } from '../computer/ssh/link/network-watch';
import { Patience } from '../computer/ssh/link/patience';
import {
  ConnectFailure,
  type HostChannel,
  type HostTransport,
  type PromptPort,
} from '../computer/ssh/transport';
import type { Hello } from '../serve/protocol';
import { ServeClient, ServeLost, ServeRefusal, type Welcome } from './serve-client';

/** How long one stage of connecting may take, ms, not counting the time a person is asked. */
const stageMs = 15_000;
/** How long the program there may take to start and to open the workspace, ms. */
const startMs = 60_000;
/** A link that lived shorter than this does not start the waits between tries anew, ms. */
const steadyMs = 2_000;
/** How long a channel that ended has to say why, ms. */
const lastWordsMs = 500;

export interface RemoteLinkParts {
  alias: string;
  transport: HostTransport;
  /** What the host is asked to run. */
  command: string;
  hello(): Hello;
  prompts: PromptPort;
  clock: LinkClock;
  /** As `Math.random`. */
  random: () => number;
  /** As `networkFingerprint`. */
  networks: () => string;
  changed(): void;
  onEvent(name: string, payload: unknown): void;
  /** A channel is there; called at every connection. */
  up(client: ServeClient, welcome: Welcome): void;
}

type Phase =
  | { kind: 'connecting'; abort: AbortController }
  | { kind: 'waiting'; cancel: () => void }
  | { kind: 'up'; client: ServeClient; liveness: Liveness; channel: HostChannel }
  | { kind: 'blocked' | 'closed' };
type Connecting = Extract<Phase, { kind: 'connecting' }>;
type Up = Extract<Phase, { kind: 'up' }>;

/**
 * The channel to `waymark serve` on one host. Comes back by itself with growing waits, at once when the network changes or
 * the machine woke up; when a person has to act first, it waits for `retryNow('person')`.
 */
export class RemoteLink {
  private readonly parts: RemoteLinkParts;
  private readonly backOff: BackOff;
  private readonly network: NetworkWatch;
  private phase: Phase = { kind: 'closed' };
  private linkState: RemoteStatus['state'] = 'connecting';
  private linkMessage = '';
  private lostAt: number | null = null;
  private tries = 0;
  private firstOutcome: ((failure: unknown) => void) | null = null;

  constructor(parts: RemoteLinkParts) {
    this.parts = parts;
    this.backOff = new BackOff(linkPauses, parts.random);
    this.network = new NetworkWatch(parts.clock, parts.networks, () => this.retryNow('change'));
  }

  get state(): RemoteStatus['state'] {
    return this.linkState;
  }

  get message(): string {
    return this.linkMessage;
  }

  /** The channel; null while there is none. */
  get client(): ServeClient | null {
    return this.phase.kind === 'up' ? this.phase.client : null;
  }

  /** Begins. Resolves with the outcome of the first try: null = up, else why not; it is tried again meanwhile. */
  open(): Promise<unknown> {
    return new Promise((resolve) => {
      this.firstOutcome = resolve;
      this.connect();
    });
  }

  /** Tries at once, or makes sure that the channel still works. */
  retryNow(why: 'person' | 'change'): void {
    switch (this.phase.kind) {
      case 'up':
        this.phase.liveness.doubt();
        return;
      case 'waiting':
        this.phase.cancel();
        this.backOff.reset();
        this.connect();
        return;
      case 'blocked':
        if (why === 'person') this.connect();
        return;
      case 'connecting':
      case 'closed':
        return;
    }
  }

  /** Ends for good; what is asked for fails. */
  close(): void {
    const phase = this.phase;
    this.phase = { kind: 'closed' };
    this.network.want(false);
    if (phase.kind === 'waiting') phase.cancel();
    if (phase.kind === 'connecting') phase.abort.abort(new ServeLost('it was closed here.'));
    if (phase.kind === 'up') this.letGo(phase, 'it was closed here.');
    this.outcome(new ServeLost('it was closed here.'));
  }

  private connect(): void {
    const phase: Phase = { kind: 'connecting', abort: new AbortController() };
    this.phase = phase;
    this.tries += 1;
    const { alias } = this.parts;
    this.say(
      'connecting',
      this.lostAt === null ? words.connectingWords(alias) : words.reconnectingWords(alias, this.lostAt),
    );
    this.attempt(phase).catch((error: unknown) => {
      if (this.phase === phase) this.failed(error);
    });
  }

  private async attempt(phase: Connecting): Promise<void> {
    const { transport, command, clock, hello, onEvent, up } = this.parts;
    const { signal } = phase.abort;
    const tooSlow = (doing: string) => () =>
      phase.abort.abort(new ServeLost(`it did not answer in time while ${doing}.`));
    const reaching = new Patience(clock, stageMs, tooSlow('it was being connected'));
    let channel: HostChannel;
    try {
      const prompts = this.prompts(phase, reaching);
      channel = await transport.open(command, { signal, prompts, onStage: () => reaching.renew() });
    } finally {
      reaching.end();
    }
    const client = new ServeClient(channel.stream, onEvent);
    const starting = new Patience(clock, startMs, tooSlow('Waymark was starting there'));
    const onAbort = () => client.close((signal.reason as Error).message);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      const welcome = await client.hello(hello());
      if (this.phase !== phase) throw new ServeLost('it was closed here.');
      this.up(client, channel);
      up(client, welcome);
    } catch (error) {
      channel.close();
      throw error instanceof ServeLost ? await this.withLastWords(error, channel) : error;
    } finally {
      starting.end();
      signal.removeEventListener('abort', onAbort);
    }
  }

  private prompts(phase: Connecting, patience: Patience): PromptPort {
    const { prompts, alias } = this.parts;
    return {
      ask: async (question, signal) => {
        if (this.phase === phase) this.say('connecting', words.askingWords(alias));
        try {
          return await patience.whileHeld(prompts.ask(question, signal));
        } finally {
          if (this.phase === phase) this.say('connecting', words.connectingWords(alias));
        }
      },
      alarm: (alarm) => prompts.alarm(alarm),
    };
  }

  /** Often the transport knows more than the end of the stream tells: what the program said to standard error. */
  private withLastWords(lost: ServeLost, { closed }: HostChannel): Promise<ServeLost> {
    return new Promise((resolve) => {
      const cancel = this.parts.clock.after(lastWordsMs, () => resolve(lost));
      closed.then(({ reason }) => {
        cancel();
        resolve(reason.trim() === '' ? lost : new ServeLost(`${lost.message} ${reason.trim()}`));
      });
    });
  }

  private up(client: ServeClient, channel: HostChannel): void {
    const { clock } = this.parts;
    const since = clock.monotonic();
    const lost = (cause: string) => {
      if (this.phase !== phase) return;
      if (clock.monotonic() - since >= steadyMs) this.backOff.reset();
      this.letGo(phase, cause);
      this.lostAt = clock.now();
      this.tryLater(cause);
    };
    const liveness = new Liveness(clock, {
      ping: () => client.ping(),
      bytesSent: () => client.bytesSent,
      answered: () => undefined,
      stalled: () => undefined,
      recovered: () => undefined,
      dead: () => lost('it stopped responding.'),
    });
    const phase: Up = { kind: 'up', client, liveness, channel };
    this.phase = phase;
    this.lostAt = null;
    this.tries = 0;
    channel.stream.on('data', () => liveness.heard());
    client.closed.then(lost);
    liveness.start();
    this.say('up', '');
    this.outcome(null);
  }

  private letGo({ client, liveness, channel }: Up, reason: string): void {
    liveness.stop();
    client.close(reason);
    channel.close();
  }

  private failed(error: unknown): void {
    const cause = error instanceof Error ? error.message : String(error);
    const final = error instanceof ServeRefusal || (error instanceof ConnectFailure && !error.passing);
    if (final) {
      this.phase = { kind: 'blocked' };
      this.say('refused', words.blockedWords(this.parts.alias, cause));
    } else {
      this.tryLater(cause);
    }
    this.outcome(error);
  }

  private tryLater(cause: string): void {
    const { clock, alias } = this.parts;
    const wait = this.backOff.next();
    this.phase = { kind: 'waiting', cancel: clock.after(wait, () => this.connect()) };
    this.say('down', words.downWords(alias, cause, this.lostAt, clock.now() + wait, this.tries));
  }

  private say(state: RemoteStatus['state'], message: string): void {
    this.linkState = state;
    this.linkMessage = message;
    this.network.want(state === 'down' || state === 'connecting');
    this.parts.changed();
  }

  private outcome(failure: unknown): void {
    this.firstOutcome?.(failure);
    this.firstOutcome = null;
  }
}
