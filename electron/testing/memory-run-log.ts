import type { NewEvent, RunEvent } from '@shared/log/events';
import type { OutboxEntry, OutboxOp } from '@shared/log/outbox';
import { ulid } from 'ulid';

/** Stands for kill -9: the transaction is in the log, the process never hears of it. */
export class Killed extends Error {
  override name = 'Killed';
}

/** Run log and outbox of one run in memory, with the store's transaction rules, for tests of the loop alone. */
export class MemoryRunLog {
  readonly events: RunEvent[] = [];
  readonly entries: OutboxEntry[] = [];
  transactions = 0;
  /** Kill the driver right after this many transactions; null = never. */
  killAfter: number | null = null;
  /** Kill it when it comes with another transaction after this many: what it did in between is done. */
  killBefore: number | null = null;
  /** Runs before a transaction is checked against the outbox: the place for a race. */
  beforeCommit: ((events: readonly NewEvent[]) => void) | null = null;
  private readonly listeners = new Set<() => void>();

  constructor(
    readonly run: string,
    private readonly now: () => number,
  ) {}

  async append(_run: string, epoch: number, events: NewEvent[]): Promise<{ seq: number }> {
    return this.commit(epoch, events, null);
  }

  async appendIfOutboxAt(
    _run: string,
    epoch: number,
    head: number,
    events: NewEvent[],
  ): Promise<{ raced: boolean; seq: number }> {
    return this.commit(epoch, events, head);
  }

  async outbox(_run: string, afterId: number): Promise<OutboxEntry[]> {
    return this.entries.filter(({ id }) => id > afterId);
  }

  post(op: OutboxOp): string {
    const id = ulid();
    this.entries.push({
      id: this.entries.length + 1,
      ulid: id,
      run: this.run,
      at: this.now(),
      author: 'Ada',
      seq: this.events.length,
      body: op,
    });
    for (const listener of this.listeners) {
      listener();
    }
    return id;
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private commit(epoch: number, events: NewEvent[], head: number | null): { raced: boolean; seq: number } {
    if (
      this.transactions >=
      Math.min(this.killAfter ?? Number.POSITIVE_INFINITY, this.killBefore ?? Number.POSITIVE_INFINITY)
    ) {
      throw new Killed();
    }
    this.beforeCommit?.(events);
    if (head !== null && (this.entries.at(-1)?.id ?? 0) > head) {
      return { raced: true, seq: this.events.length };
    }
    for (const event of events) {
      // Through JSON, as the store would: what does not survive it must not be relied on.
      const stored: NewEvent = JSON.parse(JSON.stringify(event));
      this.events.push({ ...stored, run: this.run, seq: this.events.length + 1, at: this.now(), epoch });
    }
    this.transactions += 1;
    if (this.killAfter !== null && this.transactions >= this.killAfter) {
      throw new Killed();
    }
    return { raced: false, seq: this.events.length };
  }
}
