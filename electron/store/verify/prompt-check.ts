import { createHash, type Hash } from 'node:crypto';
import { ContextFold, tailOf } from '@shared/context/context';
import type { RunEvent } from '@shared/log/events';

/** A request as the log gives it again: `closed[0..length]` and `open`, in this order, are its body. */
export interface RebuiltRequest {
  step: number;
  /** Shared by all requests of which one begins as the other did; grows. */
  closed: readonly string[];
  length: number;
  open: string;
}

/**
 * Rebuilds every prompt of a run and compares it with the hash recorded when it was sent. What requests of a
 * segment share is hashed once.
 */
export class PromptCheck {
  /** The request that the latest event asked the model, if it asked. */
  rebuilt: RebuiltRequest | null = null;
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
    this.rebuilt = null;
    if (event.kind !== 'model.requested' || this.fold === null) {
      return null;
    }
    const { closed } = this.fold;
    const open = this.fold.openText({ tail: tailOf(event.body) });
    this.rebuilt = { step: event.body.step, closed, length: closed.length, open };
    const rebuilt = this.hash(closed).update(open).digest('hex');
    return rebuilt === event.body.sha256
      ? null
      : `The prompt of step ${event.body.step} rebuilt from the log is not the one that was sent.`;
  }

  private hash(closed: readonly string[]): Hash {
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
