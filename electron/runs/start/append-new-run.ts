import { WaymarkError } from '@shared/contract/errors';
import type { NewEvent } from '@shared/log/events';
import type { Store } from '../../store/api';

/** Stores the first events of a run that is not here yet, under its driver's lock, which is let go of afterwards. */
export async function appendNewRun(store: Store, run: string, events: NewEvent[]): Promise<void> {
  const lock = store.lockRun(run, true);
  if (lock === null) throw new WaymarkError('bug', `Run ${run} is new and driven already.`);
  try {
    await store.writer.append(run, lock.epoch, events);
  } finally {
    lock.release();
  }
}
