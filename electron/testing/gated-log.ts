import type { NewEvent } from '@shared/log/events';
import type { OutboxOp } from '@shared/log/outbox';
import type { Store } from '../store/api';
import type { HintReference } from './hint-reference';
import { Killed, MemoryRunLog } from './memory-run-log';
import { alice, bob, createdBody } from './run-writer';

/** Where a driver can be held: before a commit, after it and before the driver hears of it, before the model answers. */
type GateName = 'commit' | 'heard' | 'answer';

/** Holds one driver at a time at the points where the order matters, until it is let on or killed. */
export class Gate {
  at: { name: GateName; go: () => void; kill: () => void } | null = null;
  dead = false;
  private arrived: () => void = () => undefined;

  pass(name: GateName): Promise<void> {
    if (this.dead) return Promise.reject(new Killed());
    return new Promise((resolve, reject) => {
      const leave = (end: () => void) => {
        this.at = null;
        end();
      };
      this.at = { name, go: () => leave(resolve), kill: () => leave(() => reject(new Killed())) };
      this.arrived();
    });
  }

  /** Resolves when the driver is held here. */
  arrival(): Promise<void> {
    return this.at === null ? new Promise((resolve) => (this.arrived = resolve)) : Promise.resolve();
  }
}

/** A run log in a real store, with gates at the commits that carry hints. */
export class GatedLog extends MemoryRunLog {
  gate = new Gate();
  readonly wrong: string[] = [];
  /** Whether drivers hear of new entries before they ask. */
  told = true;
  /** A driver that delivers whatever it knew, as one without the race check would: a test of the test. */
  careless = false;
  private tell: (() => void) | null = null;
  private readonly unsubscribe: () => void;
  private readonly created: Promise<unknown>;
  /** Resolves when the run exists and its first segment has begun. */
  begun: Promise<unknown>;

  constructor(
    private readonly store: Store,
    run: string,
    readonly reference: HintReference,
  ) {
    super(run, Date.now);
    this.unsubscribe = store.subscribe((notice) => {
      if (notice.kind === 'run' && notice.run === run) this.events.push(...(notice.events ?? []));
    });
    this.created = store.writer.append(run, 0, [{ kind: 'run.created', body: createdBody(run) }]);
    this.begun = this.created;
  }

  override append(run: string, epoch: number, events: NewEvent[]): Promise<{ seq: number }> {
    const stored = this.created.then(() => this.keep(run, epoch, events));
    if (events.some(({ kind }) => kind === 'segment.started')) this.begun = stored;
    return stored;
  }

  close(): void {
    this.unsubscribe();
  }

  private async keep(run: string, epoch: number, events: NewEvent[]): Promise<{ seq: number }> {
    if (this.gate.dead) throw new Killed();
    const stored = await this.store.writer.append(run, epoch, events);
    this.wrong.push(...this.reference.follow(events));
    return stored;
  }

  override async appendIfOutboxAt(
    run: string,
    epoch: number,
    head: number,
    events: NewEvent[],
  ): Promise<{ raced: boolean; seq: number }> {
    const { gate } = this;
    await gate.pass('commit');
    const stored = await this.store.writer.appendIfOutboxAt(
      ...([run, epoch, this.careless ? Number.MAX_SAFE_INTEGER : head, events] as const),
    );
    if (!stored.raced) {
      this.wrong.push(...this.reference.follow(events));
      await gate.pass('heard');
    }
    return stored;
  }

  override outbox(run: string, afterId: number) {
    return this.store.reader.outbox(run, afterId);
  }

  override subscribe(listener: () => void): () => void {
    this.tell = listener;
    return () => undefined;
  }

  /** What a person does; checked against what the reference allows at this moment. */
  async person(op: OutboxOp): Promise<void> {
    const expected = this.reference.refusal(op);
    const author = op.op === 'hint.queued' ? alice : bob;
    const code = await this.store.writer.post(this.run, author, op).then(
      (entry) => {
        this.reference.accept(op, entry.ulid);
        return null;
      },
      (error: { code?: string }) => error.code ?? 'a bug',
    );
    if (code !== expected) this.wrong.push(`${op.op} was answered with ${code} instead of ${expected}`);
    if (this.told) this.tell?.();
    // The reader answers within this turn, so the driver has read the outbox when it ends.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
