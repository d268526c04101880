import { hintBlock } from '@shared/context/human-tag';
import type { NewEvent } from '@shared/log/events';
import type { HintDelivery, HintState, OutboxOp } from '@shared/log/outbox';

interface Expected {
  id: string;
  text: string;
  state: HintState;
  due: boolean;
  /** The entry that set when it is due. */
  entry: string;
  /** Failed steps in a row that it waits for, and how many there had been before it. */
  waits: { steps: number; before: number } | null;
}

/** What must be true of hints, kept beside the store: one step for each accepted operation and each commit. */
export class HintReference {
  readonly hints = new Map<string, Expected>();
  order: string[] = [];
  /** In a request that no answer has followed. */
  unseen: string[] = [];
  ended = false;
  private failures = 0;

  /** The code the store must refuse the operation with; null when it must take it. */
  refusal(op: OutboxOp): string | null {
    if (op.op === 'hint.queued') return this.ended ? 'run_ended' : null;
    if (!('hint' in op)) return null;
    const named = [op.hint, ...(op.op === 'hint.moved' && op.before !== null ? [op.before] : [])];
    const codes = {
      delivered: 'hint_already_delivered',
      withdrawn: 'hint_withdrawn',
      undelivered: 'run_ended',
    };
    for (const id of named) {
      const state = this.hints.get(id)?.state;
      if (state === undefined) return 'not_found';
      if (state !== 'queued') return codes[state];
    }
    return null;
  }

  /** `entry`: its id in the outbox. */
  accept(op: OutboxOp, entry: string): void {
    if (op.op === 'hint.queued') {
      const { hint: id, text } = op;
      this.hints.set(id, { id, text, state: 'queued', entry, ...this.waitsFor(op.deliver) });
      this.order.push(id);
    } else if (op.op === 'hint.edited') {
      const hint = this.hints.get(op.hint);
      if (hint === undefined) return;
      hint.text = op.text;
      if (op.deliver !== undefined) Object.assign(hint, { entry, ...this.waitsFor(op.deliver) });
    } else if (op.op === 'hint.withdrawn') {
      this.leave([op.hint], 'withdrawn');
    } else if (op.op === 'hint.moved') {
      this.order = this.order.filter((id) => id !== op.hint);
      const at = op.before === null ? this.order.length : this.order.indexOf(op.before);
      this.order.splice(at, 0, op.hint);
    }
  }

  /** Checks a transaction of the driver against what waits at this moment, then follows it. Returns what is wrong. */
  follow(events: readonly NewEvent[]): string[] {
    const wrong: string[] = [];
    const say = (what: string, is: unknown, should: unknown) => {
      const [one, other] = [JSON.stringify(is), JSON.stringify(should)];
      if (one !== other) wrong.push(`${what}: ${one} instead of ${other}`);
    };
    const due = () =>
      this.order.flatMap((id) => {
        const hint = this.hints.get(id);
        return hint?.due === true ? [{ id, text: hint.text }] : [];
      });
    for (const event of events) {
      if (event.kind === 'hint.due') {
        const hint = this.hints.get(event.body.id);
        // The driver may not have seen the edit that took the condition away.
        if (hint === undefined || hint.entry !== event.body.entry) continue;
        say('comes due', [hint.due, this.holds(hint)], [false, true]);
        hint.due = true;
      } else if (event.kind === 'action.observed') {
        this.failures = event.body.error === null ? 0 : this.failures + 1;
      } else if (event.kind === 'hint.delivered') {
        const hints = due();
        say('delivered', event.body.hints, hints);
        say('delivered text', event.body.text, hintBlock(hints.map(({ text }) => text)));
        const ids = event.body.hints.map(({ id }) => id);
        this.leave(ids, 'delivered');
        this.unseen.push(...ids);
      } else if (event.kind === 'model.requested') {
        say('left behind by a request', due(), []);
        const late = this.order.filter((id) => this.holds(this.hints.get(id)));
        say('not due in time', late, []);
      } else if (event.kind === 'model.answered') {
        this.unseen = [];
      } else if (event.kind === 'hint.undelivered') {
        say('undelivered', event.body.ids, [...this.unseen, ...this.order]);
        this.leave([...event.body.ids], 'undelivered');
        this.unseen = [];
      } else if (event.kind === 'run.status' && event.body.status === 'finished') {
        say('left over by the end', [...this.unseen, ...this.order], []);
        this.ended = true;
      }
    }
    return wrong;
  }

  private waitsFor(deliver: HintDelivery | undefined): Pick<Expected, 'due' | 'waits'> {
    return deliver?.when === 'error_streak'
      ? { due: false, waits: { steps: deliver.steps, before: this.failures } }
      : { due: true, waits: null };
  }

  private holds(hint: Expected | undefined): boolean {
    return hint?.waits != null && this.failures - hint.waits.before >= hint.waits.steps;
  }

  private leave(ids: readonly string[], state: HintState): void {
    for (const id of ids) {
      const hint = this.hints.get(id);
      if (hint !== undefined) hint.state = state;
    }
    this.order = this.order.filter((id) => !ids.includes(id));
  }
}
