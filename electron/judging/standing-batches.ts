import type { StoredBatch } from '@shared/judging/batch';
import type { Store } from '../store/api';

export interface StandingBatch {
  batch: StoredBatch;
  /** A process holds its judge. */
  isHeld: boolean;
}

/** Batches with whether they go on. One that ended between the two looks is read once more, so that it is not taken for interrupted. */
export async function standing(
  { reader, isAsked }: { reader: Pick<Store['reader'], 'judgeBatch'>; isAsked: Store['isAsked'] },
  batches: readonly StoredBatch[],
): Promise<StandingBatch[]> {
  const held = new Map<string, boolean>();
  const found: StandingBatch[] = [];
  for (const batch of batches) {
    const { judge } = batch.choices;
    if (batch.end !== null) {
      found.push({ batch, isHeld: false });
      continue;
    }
    const isHeld = held.get(judge) ?? isAsked(judge);
    held.set(judge, isHeld);
    found.push({ batch: isHeld ? batch : await reader.judgeBatch(batch.id), isHeld });
  }
  return found;
}
