import type { LinkHealth } from '@shared/contract/computers';
import { AgentClient } from '../../computer/agent/agent-client';
import type { AgentLink } from '../../computer/agent/agent-link';
import type { HelloFacts } from '../../computer/agent/hello';
import { ComputerUnavailable } from '../../computer/failures';
import type { HelperStarter } from '../../computer/ssh/link/connect-attempt';
import type { HostTransport, PromptPort } from '../../computer/ssh/transport';

const nobody: PromptPort = {
  ask: () => Promise.reject(new Error('No person is there to be asked.')),
  alarm: () => undefined,
};

/** A link over any transport that connects when told to, and never by itself. */
export class TestLink implements AgentLink {
  readonly host = 'test-host';
  /** How often somebody typed. */
  typedCount = 0;
  private readonly transport: HostTransport;
  private readonly helper: HelperStarter;
  private ownClient: AgentClient | undefined;
  private ownFacts: HelloFacts | undefined;
  private connecting: Promise<AgentClient> | undefined;

  constructor(transport: HostTransport, helper: HelperStarter) {
    this.transport = transport;
    this.helper = helper;
  }

  client(): AgentClient {
    if (this.ownClient) return this.ownClient;
    throw new ComputerUnavailable(this.host, `${this.host} cannot be reached. Wait until it is back.`);
  }

  linked(signal: AbortSignal): Promise<AgentClient> {
    signal.throwIfAborted();
    if (this.ownClient) return Promise.resolve(this.ownClient);
    this.connecting ??= this.connect().finally(() => {
      this.connecting = undefined;
    });
    return this.connecting;
  }

  private async connect(): Promise<AgentClient> {
    const { signal } = new AbortController();
    const { command, begin } = this.helper.prepare();
    const channel = await this.transport.open(command, { signal, prompts: nobody });
    await begin(channel, signal);
    const client = new AgentClient(channel.stream);
    this.ownFacts = await client.hello(this.helper.version);
    this.ownClient = client;
    client.closed.then(() => {
      if (this.ownClient === client) this.ownClient = undefined;
    });
    return client;
  }

  typed(): void {
    this.typedCount += 1;
  }

  facts(): HelloFacts | undefined {
    return this.ownFacts;
  }

  health(): LinkHealth {
    return {
      alias: this.host,
      state: this.ownClient ? 'good' : 'down',
      lastByteAt: this.ownClient?.lastByteAt ?? null,
      roundTripMs: null,
      since: 0,
      retryAt: null,
      tries: 0,
      message: this.ownClient ? '' : 'It is away.',
    };
  }

  close(): void {
    this.ownClient?.close();
  }
}
