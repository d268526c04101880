import { WaymarkError } from '@shared/contract/errors';
import type { BatchEnd, StoredBatch } from '@shared/judging/batch';
import type { Store } from '../store/api';
import type { HeldBatch } from '../store/log/judge-batches';

interface Unstored {
  held: HeldBatch;
  end: BatchEnd;
}

/**
 * Ends of batches that could not be written down, as on a full disk, with why they ended. They hold as long as the batch has no end
 * and nobody has taken it up, which only the log can tell, and are written down once that works.
 */
export class UnstoredEnds {
  private readonly ends = new Map<string, Unstored>();

  constructor(private readonly store: { writer: Pick<Store['writer'], 'endBatch'> }) {}

  keep(held: HeldBatch, end: BatchEnd): void {
    this.ends.set(held.id, { held, end });
  }

  /** The batch as it was read, with its end. `isHeld`: some process asks its judge now. */
  async ended(batch: StoredBatch, isHeld: boolean): Promise<StoredBatch> {
    const unstored = this.ends.get(batch.id);
    if (unstored === undefined) return batch;
    if (batch.end !== null || isHeld) {
      this.ends.delete(batch.id);
      return batch;
    }
    const { held, end } = unstored;
    const { at: _, ...facts } = end;
    try {
      await this.store.writer.endBatch(held, facts);
      this.ends.delete(batch.id);
    } catch (thrown) {
      if (!(thrown instanceof WaymarkError)) throw thrown;
      // Another process has taken it up since, and may be done with it already.
      if (thrown.code === 'conflict') {
        this.ends.delete(batch.id);
        return batch;
      }
    }
    return { ...batch, end, counts: { ...batch.counts, missing: end.missing } };
  }
}
