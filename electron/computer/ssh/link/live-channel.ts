import type { LinkClock } from '../../../clock';
import type { AgentClient } from '../../agent/agent-client';
import { type AgentConnection, closeConnection } from './connect-attempt';
import type { LinkRecord } from './link-health';
import { silenceWords } from './link-words';
import { Liveness } from './liveness';

/** One channel that is up: how it answers is written down in the link's record, and its end is told once. */
export class LiveChannel {
  readonly client: AgentClient;
  private readonly liveness: Liveness;
  private readonly madeAt: number;
  private over = false;

  /**
   * `onEnd`: it is of no use any more, and is to be closed. `cause`: as `ChannelLost.reason`; `lastWords`: what the transport
   * knows beyond that, empty when nothing.
   */
  constructor(
    private readonly connection: AgentConnection,
    record: LinkRecord,
    private readonly clock: LinkClock,
    onEnd: (cause: string, lastWords: Promise<string>) => void,
  ) {
    const { client, channel } = connection;
    this.client = client;
    this.madeAt = clock.monotonic();
    const end = (cause: string, lastWords: Promise<string>) => {
      if (this.over) return;
      this.over = true;
      onEnd(cause, lastWords);
    };
    this.liveness = new Liveness(clock, {
      ping: () => client.ping(),
      bytesSent: () => client.bytesSent,
      answered: (roundTripMs) => record.answered(roundTripMs),
      stalled: () => record.stalled(),
      recovered: () => record.recovered(),
      dead: () => end(silenceWords(clock.now() - (record.lastByteAt ?? clock.now())), Promise.resolve('')),
    });
    channel.stream.on('data', () => {
      record.lastByteAt = clock.now();
      this.liveness.heard();
    });
    client.closed.then((lost) =>
      end(
        lost.reason,
        channel.closed.then(({ reason }) => reason.trim()),
      ),
    );
    this.liveness.start();
  }

  /** How long it has been up, ms. */
  get age(): number {
    return this.clock.monotonic() - this.madeAt;
  }

  /** A person typed. */
  typed(): void {
    this.liveness.typed();
  }

  /** Something happened that channels often do not survive. */
  doubt(): void {
    this.liveness.doubt();
  }

  /** What is still asked for is told `reason`. Resolves once nothing of it is left. */
  async close(reason: string): Promise<void> {
    this.over = true;
    this.liveness.stop();
    await closeConnection(this.connection, reason);
  }
}
