import { ComputerUnavailable } from '../../computer/failures';
import type { HostComputer } from '../../computer/hosts';

/** How long a lost link may take to come back, ms. */
const backMs = 90_000;

/**
 * What the application does with a session: follows its log from the last byte it has, and takes it up there when the
 * link comes back. Every byte must come once and in its place.
 */
export class SessionCopy {
  private readonly pieces: Buffer[] = [];
  private readonly stop = new AbortController();
  private readonly following: Promise<void>;
  private end = 0;
  /** How often it was taken up. */
  connections = 0;

  constructor(
    private readonly computer: HostComputer,
    private readonly session: string,
  ) {
    this.following = this.follow();
    this.following.catch(() => undefined); // told by `finish`
  }

  /** Bytes so far. */
  get length(): number {
    return this.end;
  }

  /** Stops and gives all bytes. @throws what went wrong, a gap or a double included */
  async finish(): Promise<Buffer> {
    this.stop.abort();
    await this.following;
    return Buffer.concat(this.pieces);
  }

  private async follow(): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      await this.computer.linked(AbortSignal.timeout(backMs)); // rejects for good when it is closed
      this.connections += 1;
      try {
        const { reason } = await this.computer.sessions.follow(
          this.session,
          this.end,
          (chunk) => this.take(chunk),
          signal,
        );
        if (reason === 'ended') return;
      } catch (error) {
        if (!(error instanceof ComputerUnavailable)) throw error;
      }
    }
  }

  private take({ offset, bytes }: { offset: number; bytes: Uint8Array }): void {
    if (offset !== this.end)
      throw new Error(`${bytes.length} bytes for offset ${offset}, where ${this.end} was due.`);
    this.pieces.push(Buffer.from(bytes));
    this.end += bytes.length;
  }
}
