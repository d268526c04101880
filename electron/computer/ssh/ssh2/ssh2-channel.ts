import type { ClientChannel } from 'ssh2';
import { ConnectFailure, type HostChannel, Tail } from '../transport';
import type { LoggedIn } from './ssh2-connect';
import { failed, type Hop } from './ssh2-hop';
import { JoinedStream } from './ssh2-joined-stream';

/**
 * Runs the command without a terminal: no environment, no agent, no display goes along.
 * @throws ConnectFailure channel_refused, lost; the signal's reason
 */
export async function openChannel(
  hop: Hop,
  loggedIn: LoggedIn,
  command: string,
  signal: AbortSignal,
  closeAll: () => void,
): Promise<HostChannel> {
  hop.report('shell', 'running', 'Asking for a channel to run the helper program.');
  try {
    const channel = await execute(hop, loggedIn, command, signal);
    hop.report('shell', 'ok', 'The host runs the command.');
    return new Ssh2Channel(hop.target, channel, loggedIn.ended, closeAll);
  } catch (error) {
    throw error instanceof ConnectFailure ? failed(hop, error) : error;
  }
}

function execute(
  hop: Hop,
  { client, ended }: LoggedIn,
  command: string,
  signal: AbortSignal,
): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    ended.then((reason) =>
      reject(
        new ConnectFailure(
          'lost',
          'shell',
          `${hop.target} closed the connection${reason ? `: ${reason}` : ''}. Try again.`,
        ),
      ),
    );
    client.exec(command, {}, (error, channel) => {
      signal.removeEventListener('abort', onAbort);
      if (!error) {
        resolve(channel);
        return;
      }
      reject(
        new ConnectFailure(
          'channel_refused',
          'shell',
          `${hop.target} let you in but runs no commands (${error.message.replace('(SSH) ', '')}). Its ssh server may forbid ` +
            'sessions (MaxSessions 0) or your key may be allowed for something else only: ask its administrator.',
        ),
      );
    });
  });
}

class Ssh2Channel implements HostChannel {
  readonly stream: JoinedStream;
  readonly closed: Promise<{ reason: string }>;
  /** Who ended it first. */
  private endedBy: 'us' | 'them' | undefined;

  constructor(
    target: string,
    channel: ClientChannel,
    ended: Promise<string>,
    private readonly closeAll: () => void,
  ) {
    const errors = new Tail(channel.stderr);
    this.stream = new JoinedStream(channel, channel, () => this.close());
    let how: string | undefined;
    channel.once('exit', (code: number | null, signal?: string) => {
      this.endedBy ??= 'them';
      how =
        code === null
          ? `The command on ${target} was ended by ${signal ?? 'a signal'}`
          : `The command on ${target} ended with exit code ${code}`;
    });
    channel.once('close', () => {
      this.endedBy ??= 'them';
      closeAll();
    });
    this.closed = ended.then((cause) => {
      this.endedBy ??= 'them';
      this.stream.lose();
      if (this.endedBy === 'us') return { reason: 'It was closed here.' };
      const words = errors.text();
      const what = how ?? `The connection to ${target} ended${cause === '' ? '' : ` (${cause})`}`;
      return { reason: `${what}.${words === '' ? '' : ` ${words}`}` };
    });
  }

  close(): void {
    this.endedBy ??= 'us';
    this.closeAll();
  }
}
