import { WaymarkError } from '@shared/contract/errors';
import { storeFailure } from '../file/database';

/** Damage ends the reading; what was read before it holds. */
export function guarded(unread: (why: string) => void, read: () => void): void {
  try {
    read();
  } catch (thrown) {
    const failure = storeFailure(thrown, 'a table of the workspace');
    const known = failure instanceof WaymarkError;
    if (known && (failure.code === 'disk_full' || failure.code === 'workspace_newer')) {
      throw failure;
    }
    // Damage shows itself in every way: as a page, or as a value of the wrong kind.
    const damaged = !known || failure.code === 'workspace_corrupt';
    unread(`The rest could not be read: ${damaged ? 'the file is damaged there.' : failure.message}`);
  }
}
