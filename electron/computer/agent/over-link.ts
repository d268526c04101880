import { ComputerUnavailable } from '../failures';
import type { AgentClient } from './agent-client';
import type { AgentLink } from './agent-link';
import { ChannelLost } from './channel-lost';

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
    `The connection to ${host} was lost: ${lost.reason} Its sessions go on; wait until it is back.`,
    undefined,
    { cause: lost },
  );
}
