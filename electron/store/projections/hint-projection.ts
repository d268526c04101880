import { WaymarkError } from '@shared/contract/errors';
import type { EventOf } from '@shared/log/events';
import type { HintDelivery, HintState, HintView, OutboxEntry, OutboxOp } from '@shared/log/outbox';
import { isDue, nextStep, sameDelivery } from '@shared/runs/hint-queue';
import { rowId, type Statements } from '../file/rows';

interface HintRow {
  ulid: string;
  number: number;
  text: string;
  category: HintView['category'];
  state: HintState;
  author: string;
  queued_at: number;
  step: number | null;
  delivered_at: number | null;
  position: number | null;
  /** JSON of the delivery; with a condition also `entry`: the outbox entry that set it. */
  deliver: string;
  due: string | null;
}

/**
 * Hints as a fold of outbox and run log. What waits has positions 1..n; an edit, move or withdrawal that comes
 * after delivery is refused, and a move must name a hint that still waits, so both logs can be folded one
 * after the other with the same result.
 */
export class HintProjection {
  constructor(private readonly statements: Statements) {}

  /** Applies an entry about to be stored. Throws `hint_already_delivered`, `hint_withdrawn`, `not_found` or `already_exists` before writing. */
  post(run: number, entry: OutboxEntry): void {
    const op = entry.body;
    switch (op.op) {
      case 'hint.queued':
        this.queue(run, entry, op);
        return;
      case 'hint.edited':
        this.edit(run, entry, op);
        return;
      case 'hint.moved':
        this.move(run, op.hint, op.before);
        return;
      case 'hint.withdrawn':
        this.waiting(run, op.hint);
        this.leave(run, op.hint, 'withdrawn', null, null);
        return;
      default:
        return;
    }
  }

  deliver(run: number, event: EventOf<'hint.delivered'>): void {
    for (const { id } of event.body.hints) {
      if (this.find(run, id)?.state === 'queued') {
        this.leave(run, id, 'delivered', event.body.step, event.at);
      }
    }
  }

  /** A condition that an edit has replaced since makes nothing due, whichever of the two logs is folded first. */
  comeDue(run: number, { id, entry, why }: EventOf<'hint.due'>['body']): void {
    const hint = this.find(run, id);
    if (hint !== undefined && deliveryOf(hint).entry === entry) {
      this.statements.run('UPDATE hint SET due = ? WHERE run = ? AND ulid = ?', why, run, id);
    }
  }

  dropUndelivered(run: number, ids: readonly string[]): void {
    for (const id of ids) {
      const hint = this.find(run, id);
      if (hint?.state === 'queued' || hint?.state === 'delivered') {
        this.leave(run, id, 'undelivered', hint.step, hint.delivered_at);
      }
    }
  }

  /** Hints by number; what annotators say of them is not part of this fold. */
  views(run: number): HintView[] {
    return this.statements
      .all<HintRow>('SELECT * FROM hint WHERE run = ? ORDER BY number', run)
      .map((row) => ({
        id: row.ulid,
        number: row.number,
        text: row.text,
        category: row.category,
        state: row.state,
        author: row.author,
        queuedAt: row.queued_at,
        step: row.step,
        prompt: row.step === null ? null : this.promptAfter(run, row.step),
        deliveredAt: row.delivered_at,
        position: row.position,
        deliver: deliveryOf(row).deliver,
        due: row.due,
        verdict: null,
      }));
  }

  /** A summary turn is shown what it summarises, never the hints that came after that. */
  private promptAfter(run: number, step: number): number {
    const kindOf = (each: number) =>
      this.statements.get<{ kind: string }>('SELECT kind FROM step_head WHERE id = ?', rowId(run, each))
        ?.kind;
    let next = step + 1;
    while (kindOf(next) === 'summary') next += 1;
    return next;
  }

  private queue(run: number, entry: OutboxEntry, op: Extract<OutboxOp, { op: 'hint.queued' }>): void {
    if (this.find(run, op.hint) !== undefined) {
      throw new WaymarkError('already_exists', 'This hint is queued already.', `hint ${op.hint}`);
    }
    const { number, position } = this.statements.get<{ number: number; position: number }>(
      'SELECT count(*) + 1 AS number, coalesce(max(position), 0) + 1 AS position FROM hint WHERE run = ?',
      run,
    ) ?? { number: 1, position: 1 };
    this.statements.run(
      `INSERT INTO hint (run, ulid, number, text, category, state, author, queued_at, position, deliver)
       VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?)`,
      run,
      op.hint,
      number,
      op.text,
      op.category,
      entry.author,
      entry.at,
      position,
      deliveryColumn(op.deliver ?? nextStep, entry),
    );
  }

  private edit(run: number, entry: OutboxEntry, op: Extract<OutboxOp, { op: 'hint.edited' }>): void {
    const hint = this.waiting(run, op.hint);
    const changed = op.deliver !== undefined && !sameDelivery(op.deliver, deliveryOf(hint).deliver);
    this.statements.run(
      'UPDATE hint SET text = ?, category = ?, deliver = ?, due = ? WHERE run = ? AND ulid = ?',
      op.text,
      op.category ?? hint.category,
      changed && op.deliver !== undefined ? deliveryColumn(op.deliver, entry) : hint.deliver,
      changed ? null : hint.due,
      run,
      op.hint,
    );
  }

  private move(run: number, hint: string, before: string | null): void {
    this.waiting(run, hint);
    if (before !== null && before !== hint) {
      this.waiting(run, before);
    }
    const others = this.statements
      .all<{ ulid: string }>(
        "SELECT ulid FROM hint WHERE run = ? AND state = 'queued' AND ulid <> ? ORDER BY position",
        run,
        hint,
      )
      .map(({ ulid }) => ulid);
    if (before === hint) {
      return;
    }
    others.splice(before === null ? others.length : others.indexOf(before), 0, hint);
    for (const [index, ulid] of others.entries()) {
      this.statements.run('UPDATE hint SET position = ? WHERE run = ? AND ulid = ?', index + 1, run, ulid);
    }
  }

  private leave(run: number, hint: string, state: HintState, step: number | null, at: number | null): void {
    const position = this.find(run, hint)?.position ?? null;
    this.statements.run(
      'UPDATE hint SET state = ?, step = ?, delivered_at = ?, position = NULL WHERE run = ? AND ulid = ?',
      state,
      step,
      at,
      run,
      hint,
    );
    if (position !== null) {
      this.statements.run(
        'UPDATE hint SET position = position - 1 WHERE run = ? AND position > ?',
        run,
        position,
      );
    }
  }

  private find(run: number, hint: string): HintRow | undefined {
    return this.statements.get<HintRow>('SELECT * FROM hint WHERE run = ? AND ulid = ?', run, hint);
  }

  private waiting(run: number, id: string): HintRow {
    const hint = this.find(run, id);
    if (hint === undefined) {
      throw new WaymarkError('not_found', 'There is no such hint in this run.', `hint ${id}`);
    }
    if (hint.state === 'delivered') {
      throw new WaymarkError(
        'hint_already_delivered',
        `Hint ${hint.number} was already delivered after step ${hint.step ?? 0}; it can no longer be changed. Send a new hint.`,
      );
    }
    if (hint.state === 'withdrawn') {
      throw new WaymarkError('hint_withdrawn', `Hint ${hint.number} was withdrawn. Send a new hint.`);
    }
    if (hint.state === 'undelivered') {
      throw new WaymarkError(
        'run_ended',
        `Hint ${hint.number} was not delivered before the run ended. Branch from one of the run's steps to go on with it.`,
      );
    }
    return hint;
  }
}

function deliveryColumn(deliver: HintDelivery, { ulid }: OutboxEntry): string {
  return JSON.stringify(isDue({ deliver, due: null }) ? deliver : { ...deliver, entry: ulid });
}

function deliveryOf({ deliver: column }: HintRow): { deliver: HintDelivery; entry: string | null } {
  const { entry, ...deliver } = JSON.parse(column) as HintDelivery & { entry?: string };
  return { deliver, entry: entry ?? null };
}
