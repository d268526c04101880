import type { NewEvent } from '../log/events';
import type { HintDelivery, OutboxEntry } from '../log/outbox';

export const nextStep: HintDelivery = { when: 'next_step' };

/** Whether a waiting hint goes out with the next request. */
export function isDue({ deliver, due }: { deliver: HintDelivery; due: string | null }): boolean {
  return deliver.when === 'next_step' || deliver.when === 'wake' || due !== null;
}

/** Whether two deliveries say the same; both as `hintDelivery` parses them. */
export function sameDelivery(one: HintDelivery, other: HintDelivery): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A hint that waits. */
export interface WaitingHint {
  id: string;
  text: string;
  deliver: HintDelivery;
  /** The outbox entry that set `deliver`, the run's last event before it, and its wall clock, ms. */
  set: { entry: string; seq: number; at: number };
  /** Why its condition has come true; null while it has not, or where there is none. */
  due: string | null;
}

/** Fold of outbox and run log: which hints still wait, in the order in which they will be delivered. */
export class HintQueue {
  private readonly hints = new Map<string, WaitingHint>();
  private readonly gone = new Set<string>();
  private order: string[] = [];
  /** Conditions that came true, by the entry that set them; the two logs may be folded in any order. */
  private readonly cameTrue = new Map<string, string>();

  applyEntry(entry: Omit<OutboxEntry, 'id' | 'run' | 'author'>): void {
    const { body } = entry;
    switch (body.op) {
      case 'hint.queued':
        if (!this.hints.has(body.hint)) {
          const { hint: id, text, deliver = nextStep } = body;
          this.hints.set(id, { id, text, deliver, set: setBy(entry), due: this.dueBy(entry.ulid) });
          this.order.push(id);
        }
        return;
      case 'hint.edited': {
        const hint = this.hints.get(body.hint);
        if (hint === undefined) return;
        hint.text = body.text;
        if (body.deliver !== undefined && !sameDelivery(body.deliver, hint.deliver)) {
          Object.assign(hint, { deliver: body.deliver, set: setBy(entry), due: this.dueBy(entry.ulid) });
        }
        return;
      }
      case 'hint.moved':
        this.move(body.hint, body.before);
        return;
      case 'hint.withdrawn':
        this.gone.add(body.hint);
        return;
      default:
        return;
    }
  }

  applyEvent(event: NewEvent): void {
    if (event.kind === 'hint.delivered') {
      for (const { id } of event.body.hints) {
        this.gone.add(id);
      }
    } else if (event.kind === 'hint.undelivered') {
      for (const id of event.body.ids) {
        this.gone.add(id);
      }
    } else if (event.kind === 'hint.due') {
      const { id, entry, why } = event.body;
      this.cameTrue.set(entry, why);
      const hint = this.hints.get(id);
      if (hint?.set.entry === entry) hint.due = why;
    }
  }

  /** Hints that wait, in queue order. */
  waiting(): WaitingHint[] {
    this.order = this.order.filter((id) => !this.gone.has(id));
    return this.order.flatMap((id) => {
      const hint = this.hints.get(id);
      return hint === undefined ? [] : [{ ...hint }];
    });
  }

  /** Those of them that go out with the next request. One that waits for a condition holds back none behind it. */
  due(): WaitingHint[] {
    return this.waiting().filter(isDue);
  }

  private dueBy(entry: string): string | null {
    return this.cameTrue.get(entry) ?? null;
  }

  private move(hint: string, before: string | null): void {
    if (!this.order.includes(hint) || hint === before) {
      return;
    }
    this.order = this.order.filter((id) => id !== hint);
    const at = before === null ? -1 : this.order.indexOf(before);
    this.order.splice(at < 0 ? this.order.length : at, 0, hint);
  }
}

function setBy({ ulid, seq, at }: Pick<OutboxEntry, 'ulid' | 'seq' | 'at'>): WaitingHint['set'] {
  return { entry: ulid, seq: seq ?? 0, at };
}
