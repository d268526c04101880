import type { NewEvent } from '@shared/log/events';
import type { OutboxEntry } from '@shared/log/outbox';
import { HintQueue } from '@shared/runs/hint-queue';
import type { HumanDecision, PendingChange } from '../../agent/ports';
import { SerialQueue } from '../../base/serial-queue';
import type { StoreReader } from '../../store/api';
import { HintConditions } from './hint-conditions';

/** Fold of outbox and run log: changes of model and limits that were asked for and not applied yet, oldest first. */
class ChangeQueue {
  private changes: PendingChange[] = [];
  private readonly applied = new Set<string>();

  get waiting(): PendingChange[] {
    return [...this.changes];
  }

  applyEntry({ ulid, author, body }: OutboxEntry): void {
    const of = { entry: ulid, by: author };
    if (this.applied.has(ulid)) {
      return;
    }
    if (body.op === 'run.model') {
      this.changes.push({ ...of, op: 'model', model: body.model });
    } else if (body.op === 'run.limits') {
      this.changes.push({ ...of, op: 'limits', limits: body.limits });
    }
  }

  applyEvent(event: NewEvent): void {
    if (event.kind === 'control.applied') {
      this.applied.add(event.body.entry);
      this.changes = this.changes.filter(({ entry }) => entry !== event.body.entry);
    }
  }
}

/** Fold of outbox and run log: checkpoints that were asked for and not made yet, oldest first. */
class CheckpointQueue {
  private requests: { entry: string; note: string }[] = [];
  private readonly applied = new Set<string>();

  get waiting(): { entry: string; note: string }[] {
    return [...this.requests];
  }

  applyEntry({ ulid, body }: OutboxEntry): void {
    if (body.op === 'run.checkpoint' && !this.applied.has(ulid)) {
      this.requests.push({ entry: ulid, note: body.note });
    }
  }

  applyEvent(event: NewEvent): void {
    if (event.kind === 'control.applied') {
      this.applied.add(event.body.entry);
      this.requests = this.requests.filter(({ entry }) => entry !== event.body.entry);
    }
  }
}

/** Unapplied control request of a human. */
interface ControlRequest {
  /** Number of the outbox entry. */
  id: number;
  entry: string;
  op: 'pause' | 'stop' | 'wake';
  mode: 'after_step' | 'now';
  author: string;
}

/** A kind of actions that a person no longer allows. */
interface Withdrawal {
  entry: string;
  kind: string;
  by: string;
}

/**
 * Reads a run's outbox as it grows and folds it: waiting hints, unapplied control requests, decided approvals.
 * Feed it the run's events too (what was delivered or applied leaves the fold).
 */
export class OutboxFollower {
  /** Id of the latest entry read. */
  head = 0;
  readonly queue = new HintQueue();
  readonly conditions = new HintConditions();
  readonly changes = new ChangeQueue();
  readonly checkpoints = new CheckpointQueue();
  readonly decisions = new Map<string, HumanDecision>();
  private withdrawn: Withdrawal[] = [];
  private requests: ControlRequest[] = [];
  private readonly applied = new Set<string>();
  private readonly listeners = new Set<() => void>();
  private readonly reads = new SerialQueue();

  constructor(
    private readonly reader: Pick<StoreReader, 'outbox'>,
    private readonly run: string,
  ) {}

  get controls(): readonly ControlRequest[] {
    return this.requests;
  }

  /** Requests to ask about a kind again that are not in the run's log yet, oldest first. */
  get withdrawals(): readonly Withdrawal[] {
    return this.withdrawn;
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  applyEvent(event: NewEvent): void {
    this.queue.applyEvent(event);
    this.conditions.apply(event);
    this.changes.applyEvent(event);
    this.checkpoints.applyEvent(event);
    if (event.kind === 'approval.withdrawn') {
      this.applied.add(event.body.entry);
      this.withdrawn = this.withdrawn.filter(({ entry }) => entry !== event.body.entry);
    }
    if (event.kind === 'control.applied') {
      this.applied.add(event.body.entry);
      this.requests = this.requests.filter(({ entry }) => entry !== event.body.entry);
    }
  }

  /** Resolves when everything that was in the outbox at the time of the call has been read. */
  refresh(): Promise<void> {
    return this.reads.run(() => this.readAll());
  }

  private async readAll(): Promise<void> {
    for (;;) {
      const entries = await this.reader.outbox(this.run, this.head);
      if (entries.length === 0) {
        return;
      }
      for (const entry of entries) {
        this.apply(entry);
      }
      for (const listener of this.listeners) {
        listener();
      }
    }
  }

  private apply(entry: OutboxEntry): void {
    if (entry.id <= this.head) {
      return;
    }
    this.head = entry.id;
    this.queue.applyEntry(entry);
    this.changes.applyEntry(entry);
    this.checkpoints.applyEntry(entry);
    const { body, author } = entry;
    if (body.op === 'approval.decided') {
      if (!this.decisions.has(body.approval)) {
        this.decisions.set(body.approval, {
          decision: body.decision,
          by: author,
          forRun: body.forRun === true,
          reason: body.reason,
        });
      }
      return;
    }
    if (body.op === 'approval.withdrawn') {
      if (!this.applied.has(entry.ulid)) {
        this.withdrawn.push({ entry: entry.ulid, kind: body.kind, by: author });
      }
      return;
    }
    const op = CONTROL_OPS[body.op];
    if (op !== undefined && !this.applied.has(entry.ulid)) {
      const mode = body.op === 'run.pause' ? body.mode : 'now';
      this.requests.push({ id: entry.id, entry: entry.ulid, op, mode, author });
    }
  }
}

const CONTROL_OPS: Partial<Record<OutboxEntry['body']['op'], ControlRequest['op']>> = {
  'run.pause': 'pause',
  'run.stop': 'stop',
  'run.wake': 'wake',
};
