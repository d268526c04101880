import { toFailure, WaymarkError } from '@shared/contract/errors';
import type { Price } from '../model/client';
import type { Store } from '../store/api';
import type { HeldBatch } from '../store/log/judge-batches';

export interface ApartOptions {
  /** Of the endpoint, as whoever asks for the batch knows it; null: unknown there. */
  price: Price | null;
  /** Whether a process works on the batch, or has worked on it to its end. */
  isTaken(): Promise<boolean>;
}

/** Starts a process of its own that works on a batch; resolves once that has taken the batch up. @throws WaymarkError why it could not */
export type DriveBatchApart = (batch: string, options: ApartOptions) => Promise<void>;

/**
 * Has a batch that `held` has just written down, without its judge's lock any more, worked on by a process of its own. Where none
 * can, the batch ends with the reason. @throws WaymarkError that reason
 */
export async function workApart(
  { reader, writer, isAsked }: Pick<Store, 'reader' | 'writer'> & { isAsked(): boolean },
  held: HeldBatch,
  price: Price | null,
  drive: DriveBatchApart,
): Promise<void> {
  const isTaken = async () => {
    const { end } = await reader.judgeBatch(held.id);
    // `interrupted`: another batch of the judge began in its place.
    return end === null ? isAsked() : end.why !== 'interrupted';
  };
  try {
    await drive(held.id, { price, isTaken });
  } catch (thrown) {
    const { code, message } = toFailure(thrown);
    const failure = { code, message: message.slice(0, 10_000) };
    await writer.endBatch(held, { why: 'failed', failure, missing: 0 }).catch(passOver);
    throw thrown;
  }
}

/** A process that took the batch up late works on it anyway; and where the end cannot be stored, the reason is still thrown. */
function passOver(thrown: unknown): void {
  if (!(thrown instanceof WaymarkError)) throw thrown;
}
