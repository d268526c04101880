import type { LinkHealth } from '@shared/contract/computers';
import { ComputerUnavailable } from '../failures';
import type { AgentClient } from './agent-client';
import { ChannelLost } from './agent-failures';
import type { HelloFacts } from './hello';

/**
 * What sessions and files see of a host's connection: one client at a time, a new one after every reconnection.
 * Implemented by the host pool (`ssh/`); tests have one over a child process.
 */
export interface AgentLink {
  /** What messages call the host: the alias the user knows it by. */
  readonly host: string;
  /**
   * The client of the channel that is up now. Asks for a connection when nobody needed one before.
   * @throws ComputerUnavailable at once when the link is not up
   */
  client(): AgentClient;
  /**
   * Resolves with the client once the link is up, opening it if need be. Rejects with the signal's reason and never by
   * itself, also while a person has to act first: `health` says what it waits for.
   * @throws ComputerUnavailable when the link is closed for good
   */
  linked(signal: AbortSignal): Promise<AgentClient>;
  /** A person has just typed into a terminal of this host: a link that does not answer within 2 s is stalled. */
  typed(): void;
  /** What the host said at the last connection, also while it is away. */
  facts(): HelloFacts | undefined;
  health(): LinkHealth;
}

/**
 * One operation over the channel that is up now. What it throws passes through but the loss of the channel; a channel
 * whose answer makes no sense is given up.
 * @throws ComputerUnavailable when the link is not up or is lost meanwhile
 */
export async function overLink<T>(
  link: Pick<AgentLink, 'host' | 'client'>,
  work: (client: AgentClient) => Promise<T>,
): Promise<T> {
  const client = link.client();
  try {
    return await work(client);
  } catch (error) {
    if (!(error instanceof ChannelLost)) throw error;
    client.close(error.reason);
    throw linkLost(link.host, error);
  }
}

function linkLost(host: string, lost: ChannelLost): ComputerUnavailable {
  return new ComputerUnavailable(
    host,
    `The connection to ${host} was lost: ${lost.reason} Its sessions keep running; wait until it is back.`,
    undefined,
    { cause: lost },
  );
}
