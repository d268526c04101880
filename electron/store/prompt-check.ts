import { createHash, type Hash } from 'node:crypto';
import { ContextFold } from '@shared/context';
import type { RunEvent } from '@shared/events';

/**
 * Rebuilds every prompt of a run and compares it with the hash recorded when it was sent. What requests of a
 * segment share is hashed once.
 */
export class PromptCheck {
  private fold: ContextFold | null = null;
  private shared: Hash = createHash('sha256');
  private chunks: readonly string[] | null = null;
  private hashed = 0;

  /** A sentence when the rebuilt prompt differs, else null. */
  apply(event: RunEvent): string | null {
    if (event.kind === 'run.created') {
      this.fold = new ContextFold({ sendReasoning: event.body.model.sendReasoning });
    }
    this.fold?.apply(event);
    if (event.kind !== 'model.requested' || this.fold === null) {
      return null;
    }
    const rebuilt = this.hash(this.fold)
      .update(this.fold.openText({ tail: event.body.tail }))
      .digest('hex');
    return rebuilt === event.body.sha256
      ? null
      : `The prompt of step ${event.body.step} rebuilt from the log is not the one that was sent.`;
  }

  private hash(fold: ContextFold): Hash {
    const { closed } = fold;
    if (this.chunks !== closed) {
      this.chunks = closed;
      this.shared = createHash('sha256');
      this.hashed = 0;
    }
    for (; this.hashed < closed.length; this.hashed += 1) {
      this.shared.update(closed[this.hashed] ?? '');
    }
    return this.shared.copy();
  }
}
