import type { ErrorCode, Failure, Result } from '@shared/contract/errors';
import type { LateCommand } from '@shared/contract/ipc';
import { newUlid } from '../base/new-ulid';
import type { LinkClock } from '../clock';
import type { LateWrite, LateWrites } from './late-writes';
import { type ServeClient, ServeLost } from './serve-client';

/** What passes by itself on the server; the write waits for it. */
const passing: ReadonlySet<ErrorCode> = new Set(['disk_full', 'timed_out', 'workspace_locked']);
const againMs = 10_000;

export interface DeliveryParts {
  writes: LateWrites;
  client(): ServeClient | null;
  clock: LinkClock;
  /** What waits or was refused is another number now. */
  changed(): void;
  /** The file of writes could not be written. */
  failed(error: unknown): void;
}

/** `kept`: the server does not have it yet and gets it when it is back. */
export type Outcome = { write: LateWrite; result: Result<unknown> | 'kept' };

/**
 * Brings what people write to the server: first into the file, then over the channel, one after the other in the order in
 * which they were made. Each carries an id, so that one whose answer was lost is sent again and stored once.
 */
export class Delivery {
  private readonly parts: DeliveryParts;
  private readonly asking = new Map<string, (result: Outcome['result']) => void>();
  private running = false;
  private cancelAgain: () => void = () => undefined;

  constructor(parts: DeliveryParts) {
    this.parts = parts;
  }

  /** Writes whose makers were told that they wait. */
  get waiting(): number {
    return this.parts.writes.waiting.filter(({ id }) => !this.asking.has(id)).length;
  }

  /** Resolves once the server answered, or when it is away, once the write is kept. */
  async make(command: LateCommand, input: Record<string, unknown>): Promise<Outcome> {
    const { writes, clock, client, changed } = this.parts;
    const write: LateWrite = { id: newUlid(), command, input, at: clock.now() };
    let answered: Promise<Outcome['result']> | null = null;
    if (client() !== null) {
      answered = new Promise((resolve) => {
        this.asking.set(write.id, resolve);
      });
    }
    try {
      await writes.add(write);
    } catch (error) {
      this.asking.delete(write.id);
      throw error;
    }
    if (answered === null) {
      changed();
      this.deliver();
      return { write, result: 'kept' };
    }
    this.deliver();
    return { write, result: await answered };
  }

  /** Sends what waits, if there is a channel. */
  deliver(): void {
    if (this.running) return;
    this.running = true;
    this.cancelAgain();
    this.deliverAll()
      .catch((error: unknown) => {
        this.parts.failed(error);
        this.lost();
        this.again();
      })
      .finally(() => {
        this.running = false;
        // Something may have come between the last look and now.
        if (this.parts.client() === null) this.lost();
        else if (this.asking.size > 0) this.deliver();
      });
  }

  /** The channel is gone: who waits for an answer is told that the write is kept. */
  lost(): void {
    if (this.asking.size === 0) return;
    const asking = [...this.asking.values()];
    this.asking.clear();
    for (const settle of asking) settle('kept');
    this.parts.changed();
  }

  stop(): void {
    this.cancelAgain();
    this.lost();
  }

  private again(): void {
    this.cancelAgain = this.parts.clock.after(againMs, () => this.deliver());
  }

  private async deliverAll(): Promise<void> {
    const { writes, client } = this.parts;
    for (;;) {
      const [write] = writes.waiting;
      const channel = client();
      if (write === undefined || channel === null) return;
      const result = await this.send(channel, write);
      if (result === null) return;
      const settle = this.asking.get(write.id);
      if (settle === undefined && !result.ok && passing.has(result.error.code)) {
        this.again();
        return;
      }
      if (settle === undefined && !result.ok) await writes.refuse(write.id, result.error);
      else await writes.done(write.id);
      this.asking.delete(write.id);
      if (settle) settle(result);
      else this.parts.changed();
    }
  }

  /** Null when the channel ended before the answer: it is sent again over the next one. */
  private async send(
    channel: ServeClient,
    { id, command, input }: LateWrite,
  ): Promise<Result<unknown> | null> {
    try {
      return await channel.ask(command, input, id);
    } catch (thrown) {
      if (thrown instanceof ServeLost) return null;
      const failure: Failure = { code: 'bad_input', message: (thrown as Error).message };
      return { ok: false, error: failure };
    }
  }
}
