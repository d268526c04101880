import { WaymarkError } from '@shared/contract/errors';
import type { RunSummary } from '@shared/contract/views';
import type { StoreReader } from '../store/api';

/** Steps of a run, and the run they were made in. */
export interface StepOwner {
  run: string;
  from: number;
  to: number;
  /** That run was removed: nothing can be said about its steps any more. */
  gone: boolean;
}

/** Who made which steps of a run: those before a branch point belong to its parents. Ascending. @throws WaymarkError not_found */
export async function stepOwners(reader: Pick<StoreReader, 'run'>, run: string): Promise<StepOwner[]> {
  const owners: StepOwner[] = [];
  let owner: RunSummary = await reader.run(run);
  for (let last = owner.steps; ; ) {
    const { parent } = owner;
    owners.unshift({ run: owner.id, from: (parent?.step ?? 0) + 1, to: last, gone: false });
    if (parent === null) return owners;
    last = Math.min(last, parent.step);
    const found = await unlessRemoved(reader.run(parent.run));
    if (found === null) return [{ run: parent.run, from: 1, to: last, gone: true }, ...owners];
    owner = found;
  }
}

/** What was read of a run; null when it has been removed. */
export async function unlessRemoved<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof WaymarkError && thrown.code === 'not_found') return null;
    throw thrown;
  }
}
