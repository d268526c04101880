import type { NewEvent } from '@shared/log/events';
import type { OutboxEntry } from '@shared/log/outbox';
import type { PendingChange } from '../../agent/ports';

/** Fold of outbox and run log: changes of model and limits that were asked for and not applied yet, oldest first. */
export class ChangeQueue {
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
