import type { NewEvent } from './events';
import type { OutboxEntry } from './outbox';

/** Fold of outbox and run log: which hints still wait, in the order in which they will be delivered. */
export class HintQueue {
  private readonly texts = new Map<string, string>();
  private readonly gone = new Set<string>();
  private order: string[] = [];

  applyEntry({ body }: Pick<OutboxEntry, 'body'>): void {
    switch (body.op) {
      case 'hint.queued':
        if (!this.texts.has(body.hint)) {
          this.texts.set(body.hint, body.text);
          this.order.push(body.hint);
        }
        return;
      case 'hint.edited':
        if (this.texts.has(body.hint)) {
          this.texts.set(body.hint, body.text);
        }
        return;
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
    }
  }

  /** Hints that wait, in queue order. */
  waiting(): { id: string; text: string }[] {
    this.order = this.order.filter((id) => !this.gone.has(id));
    return this.order.map((id) => ({ id, text: this.texts.get(id) ?? '' }));
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
