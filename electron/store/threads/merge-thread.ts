import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenForeignLog } from '../log/checked-log';
import { openForeignLog } from '../log/checked-log';
import type { SourceEntry } from '../log/stored-entries';
import { isDatabaseFile } from '../restore/backup-file';
import { StoreThread } from './store-thread';

/** A file of entries of no more bytes is read where it is taken: starting a thread would take longer. */
const SMALL_BYTES = 256 * 1024;

/**
 * Reads other annotation logs in a thread of its own: what somebody else made is opened, asked for and parsed there, however large
 * it is and whatever its database is made to compute. The writing thread gets pages of checked entries.
 * @param workers folder of the bundled `merge-worker.js`
 */
export function readLogsApart(workers: string): OpenForeignLog {
  return async (path) => {
    if (isSmall(path)) return openForeignLog(path);
    const thread = new StoreThread(join(workers, 'merge-worker.js'), 'merge', { lives: false });
    await thread.open(
      {
        folder: path,
        device: null,
        data: null,
        ballastBytes: 0,
        backupEveryMs: null,
        readOnly: true,
        resourcesPath: null,
      },
      () => undefined,
    );
    try {
      await thread.call('begin', [path]);
    } catch (thrown) {
      await thread.close();
      throw thrown;
    }
    return { next: () => thread.call<SourceEntry[] | null>('next', []), close: () => thread.close() };
  };
}

/** Whatever else it is, it is refused in the thread as well. */
function isSmall(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > SMALL_BYTES) return false;
  return !isDatabaseFile(path, 'Nothing was merged.');
}
