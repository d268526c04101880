import type { Client, ClientChannel } from 'ssh2';
import { type ResolveOptions, resolveTold } from '../config/resolve-host';
import type { ResolvedHost } from '../config/resolved-host';
import { ConnectFailure, type HostChannel, type HostTransport, type OpenOptions } from '../transport';
import { openChannel } from './ssh2-channel';
import { type LoggedIn, logIn } from './ssh2-connect';
import { failed, type Hop, makeHop } from './ssh2-hop';
import { openLine } from './ssh2-socket';

/** Connects with ssh2, in this process: the user's configuration, known hosts, keys and agent, as ssh would. */
export class Ssh2Transport implements HostTransport {
  constructor(
    private readonly alias: string,
    private readonly options: Omit<ResolveOptions, 'signal'> = {},
  ) {}

  async open(command: string, options: OpenOptions): Promise<HostChannel> {
    const { signal } = options;
    const host = await resolveTold(this.alias, this.options, options, refuseBeyond);
    const closers: (() => void)[] = [];
    const closeAll = () => {
      for (const close of closers.splice(0).reverse()) close();
    };
    signal.addEventListener('abort', closeAll, { once: true });
    try {
      const { loggedIn, hop } = await this.connect(host, options, closers);
      return await openChannel(hop, loggedIn, command, signal, closeAll);
    } catch (error) {
      closeAll();
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', closeAll);
    }
  }

  /** From host to host; what was opened is closed by `closers`, the last first. */
  private async connect(
    target: ResolvedHost,
    options: OpenOptions,
    closers: (() => void)[],
  ): Promise<{ loggedIn: LoggedIn; hop: Hop }> {
    let before: LoggedIn | undefined;
    for (const host of [...target.via, target]) {
      const hop = makeHop(host, this.alias, options, host === target);
      try {
        const { stream, words } = before
          ? { stream: await forward(before.client, hop), words: () => '' }
          : await this.firstLine(hop, closers);
        const loggedIn = await logIn(hop, stream, words);
        closers.push(() => {
          loggedIn.client.end();
          loggedIn.client.destroy();
        });
        if (host === target) return { loggedIn, hop };
        before = loggedIn;
      } catch (error) {
        throw error instanceof ConnectFailure ? failed(hop, error) : error;
      } finally {
        hop.end(new Error('This login is over.'));
      }
    }
    throw new Error('A way without hosts.'); // the target is always one
  }

  private async firstLine(hop: Hop, closers: (() => void)[]): ReturnType<typeof openLine> {
    const line = await openLine(hop, this.options.environment ?? process.env);
    closers.push(line.close);
    return line;
  }
}

function refuseBeyond({ alias, needsOpenSsh }: ResolvedHost): void {
  if (needsOpenSsh.length === 0) return;
  throw new ConnectFailure(
    'unsupported',
    'resolve',
    `The built-in client cannot do what ${alias} is configured for: ${needsOpenSsh.join('; ')}. ` +
      "Choose the system's OpenSSH client for this computer.",
  );
}

/** A connection from the host before to this one. */
function forward(client: Client, hop: Hop): Promise<ClientChannel> {
  const { host, signal } = hop;
  hop.report('tcp', 'running', `Asking for a connection on to ${host.hostName}, port ${host.port}.`);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    client.forwardOut('127.0.0.1', 0, host.hostName, host.port, (error, channel) => {
      signal.removeEventListener('abort', onAbort);
      if (!error) {
        hop.report('tcp', 'ok', `Connected on to ${host.hostName}, port ${host.port}.`);
        resolve(channel);
        return;
      }
      reject(
        new ConnectFailure(
          'tcp',
          'tcp',
          `The host before it could not connect to ${host.hostName}, port ${host.port}: ${error.message.replace('(SSH) ', '')}. ` +
            'Check that the name is known there and that forwarding is allowed.',
        ),
      );
    });
  });
}
