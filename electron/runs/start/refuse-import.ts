import { WaymarkError } from '@shared/contract/errors';
import type { RunState } from '@shared/contract/views';

/** Nothing is asked of a run whose log is not all here. @throws WaymarkError refused */
export function refuseImport(run: string, state: RunState): void {
  if (state === 'importing') {
    throw new WaymarkError('refused', `Run ${run} is still being imported. Wait until it is done.`);
  }
  if (state === 'import_broken') {
    throw new WaymarkError(
      'refused',
      `The import of run ${run} was interrupted, so only part of its log is here. Import the same files again to replace it, or remove it with "run remove".`,
    );
  }
}
