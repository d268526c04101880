import { randomBytes } from 'node:crypto';
import { WaymarkError } from '@shared/contract/errors';
import type { LinkClock } from '../../../clock';
import { AgentClient } from '../../agent/agent-client';
import { AgentRefusal, ChannelLost } from '../../agent/agent-failures';
import { type AgentSources, bootstrapCommand, readAgentSources, startAgent } from '../../agent/bootstrap';
import type { HelloFacts } from '../../agent/hello';
import {
  ConnectFailure,
  type ConnectStage,
  type HostChannel,
  type HostTransport,
  type PromptPort,
  type StageReport,
} from '../transport';
import { Patience } from './patience';

/** How long a stage may take, ms, not counting the time a person is asked. */
const stageLimitMs = 15_000;
/** How long the transport has to say why a channel ended, ms. */
const lastWordsMs = 500;

export interface HelperRun {
  /** What the host is asked to run. */
  command: string;
  /** Feeds the helper through the channel; from then on it speaks frames. @throws ConnectFailure, ChannelLost */
  begin(channel: HostChannel, signal: AbortSignal): Promise<void>;
}

/** Starts the helper program on the far side of a channel. */
export interface HelperStarter {
  /** Anew for every connection. */
  prepare(): HelperRun;
  /** Told to the helper in `hello`. */
  version: string;
}

export interface ConnectOrder {
  alias: string;
  transport: HostTransport;
  helper: HelperStarter;
  prompts: PromptPort;
  clock: LinkClock;
  onStage?: (stage: StageReport) => void;
  /** A person is asked something, or is not any more. */
  onAsking?: (asking: boolean) => void;
}

/** A host whose helper has said hello. */
export interface AgentConnection {
  channel: HostChannel;
  client: AgentClient;
  facts: HelloFacts;
}

/** What is still asked for is told `reason`. Resolves once nothing of it is left. */
export async function closeConnection({ client, channel }: AgentConnection, reason: string): Promise<void> {
  client.close(reason);
  channel.close();
  await channel.closed;
}

/**
 * One try to reach a host, from the name to the helper's hello. Every stage has 15 s; while a person is asked the limit
 * stands still. What comes about too late is closed.
 */
export class ConnectAttempt {
  /** Rejects with ConnectFailure, with what `cancel` was given, or with what is a bug. */
  readonly connection: Promise<AgentConnection>;
  /** Resolves when nothing of a try that failed is left, which may be a while after it was called off. */
  readonly over: Promise<unknown>;
  private readonly abort = new AbortController();
  private readonly patience: Patience;
  private stage: { stage: ConnectStage; via?: string } = { stage: 'resolve' };

  constructor(private readonly order: ConnectOrder) {
    this.patience = new Patience(order.clock, stageLimitMs, () => this.abort.abort(this.tooSlow()));
    const { command, begin } = order.helper.prepare();
    // Not before the maker of this try holds it: stages and questions may come at once.
    const opening = Promise.resolve().then(() =>
      order.transport.open(command, {
        signal: this.abort.signal,
        prompts: this.prompts(),
        onStage: (report) => this.report(report),
      }),
    );
    this.connection = this.connect(opening, begin).finally(() => this.patience.end());
    this.over = Promise.allSettled([opening, this.connection]);
  }

  /** A person is being asked something for this connection. */
  get asking(): boolean {
    return this.patience.held;
  }

  cancel(reason: unknown): void {
    this.abort.abort(reason);
  }

  private async connect(opening: Promise<HostChannel>, begin: HelperRun['begin']): Promise<AgentConnection> {
    const channel = await this.unlessAborted(opening, (late) => late.close());
    let client: AgentClient | undefined;
    // Between one listener and the next nobody else would hear of an error; the end of the stream tells as well.
    channel.stream.on('error', () => undefined);
    try {
      this.report({ stage: 'helper', state: 'running', message: 'Starting the helper program.' });
      await this.unlessAborted(begin(channel, this.abort.signal));
      client = new AgentClient(channel.stream);
      const facts = await this.unlessAborted(client.hello(this.order.helper.version));
      this.report({
        stage: 'helper',
        state: 'ok',
        message: `${facts.helper} ${facts.helperVersion} runs the helper program.`,
      });
      return { channel, client, facts };
    } catch (error) {
      const ended = error instanceof ChannelLost || channel.stream.readableEnded || channel.stream.destroyed;
      client?.close();
      channel.close();
      throw this.explained(error, ended ? await this.lastWords(channel) : undefined);
    }
  }

  /** Does not rely on others to heed a signal: what they make after all is let go. */
  private async unlessAborted<T>(work: Promise<T>, letGo?: (late: T) => void): Promise<T> {
    const { signal } = this.abort;
    let onAbort: () => void = () => undefined;
    const aborted = new Promise<never>((_resolve, reject) => {
      onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([work, aborted]);
    } catch (error) {
      // How work that was called off fails says nothing that the reason does not.
      work.then(letGo, () => undefined);
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  private prompts(): PromptPort {
    const { prompts, onAsking } = this.order;
    return {
      ask: async (question, signal) => {
        onAsking?.(true);
        try {
          return await this.patience.whileHeld(prompts.ask(question, signal));
        } finally {
          onAsking?.(this.asking);
        }
      },
      alarm: (alarm) => prompts.alarm(alarm),
    };
  }

  private report(report: StageReport): void {
    this.patience.renew();
    this.stage = report;
    this.order.onStage?.(report);
  }

  private tooSlow(): ConnectFailure {
    const { stage, via } = this.stage;
    const doing: Record<ConnectStage, string> = {
      resolve: 'finding its address',
      tcp: 'connecting to it',
      host_key: 'checking its host key',
      auth: 'logging in',
      shell: 'starting a shell',
      helper: 'starting the helper program',
      disk: 'looking at its disk',
      gpu: 'looking at its GPUs',
    };
    return new ConnectFailure(
      'timeout',
      stage,
      `${via === undefined ? this.order.alias : `${via}, the way to ${this.order.alias},`} did not answer for ` +
        `${stageLimitMs / 1000} s while ${doing[stage]}. Check that it is switched on and that your network or VPN reaches it.`,
    );
  }

  /** Often the transport knows more than the end of the stream tells: what the host said to standard error. */
  private lastWords({ closed }: HostChannel): Promise<string> {
    return new Promise((resolve) => {
      const cancel = this.order.clock.after(lastWordsMs, () => resolve(''));
      closed.then(({ reason }) => {
        cancel();
        resolve(reason.trim());
      });
    });
  }

  /** What is expected to go wrong with a helper, as a failure at its stage. `lastWords`: when the channel ended by itself. */
  private explained(error: unknown, lastWords: string | undefined): unknown {
    const { alias } = this.order;
    const { signal } = this.abort;
    if (signal.aborted) return signal.reason;
    if (error instanceof ConnectFailure) return error;
    if (lastWords !== undefined && (error instanceof ChannelLost || error instanceof WaymarkError)) {
      // An end in the middle is more often a broken link than a host that cannot: that one says so.
      const what = error instanceof ChannelLost ? error.reason : error.message;
      const message =
        `The link to ${alias} ended while the helper program was starting: ${what} ${lastWords}`.trim();
      return new ConnectFailure('lost', 'helper', `${message} Try again.`, undefined, { cause: error });
    }
    if (error instanceof AgentRefusal || error instanceof WaymarkError) {
      const message = `The helper program on ${alias} cannot work there: ${error.message}`;
      return new ConnectFailure('helper', 'helper', message, undefined, { cause: error });
    }
    return error;
  }
}

/** The helper program as shipped in `resourcesDir`, fed to whatever the host has to run it. `version`: the application's. */
export function bootstrapHelper(resourcesDir: string, version: string): HelperStarter {
  let reading: Promise<AgentSources> | undefined;
  return {
    version,
    prepare: () => {
      const nonce = randomBytes(12).toString('hex');
      return {
        command: bootstrapCommand(nonce),
        begin: async ({ stream }, signal) => {
          reading ??= readAgentSources(resourcesDir).catch((error: unknown) => {
            // The next connection looks again.
            reading = undefined;
            throw error;
          });
          await startAgent(stream, { nonce, sources: await reading, signal });
        },
      };
    },
  };
}
