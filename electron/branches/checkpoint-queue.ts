import type { NewEvent } from '@shared/log/events';
import type { OutboxEntry } from '@shared/log/outbox';

/** Fold of outbox and run log: checkpoints that were asked for and not made yet, oldest first. */
export class CheckpointQueue {
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
