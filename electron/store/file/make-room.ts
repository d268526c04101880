import { existsSync } from 'node:fs';
import { AttentionCache } from '../projections/attention-cache';
import { deleteIndexFile, indexBytes, indexFile } from '../search/search-file';
import { type Db, openDatabase, systemCode } from './database';
import { keepAsBallast, lacksRoom } from './disk-guard';

/**
 * On a full disk without a ballast, what is derived and nobody has open becomes the ballast: the search index, which is filled again
 * once there is room. Whoever removes runs has to open the workspace and to write into it, and the ballast is there for that.
 * Returns how many bytes the index had; 0 where nothing was needed, or nothing is to be given up. `most`: bytes of ballast at most.
 */
export function makeRoom(folder: string, most: number): number {
  if (!lacksRoom(folder) || !existsSync(indexFile(folder))) return 0;
  const bytes = dropIndex(folder);
  if (bytes === 0) return 0;
  new AttentionCache(folder).keepOnly(new Set());
  keepAsBallast(folder, Math.min(bytes, most));
  return bytes;
}

/** Bytes that the search index had; 0: somebody has it open. */
function dropIndex(folder: string): number {
  let held: Db | undefined;
  try {
    held = openDatabase(indexFile(folder), { timeoutMs: 0 });
    // Needs no shared memory, for which there is no room, and fails where anybody else has the file open.
    held.pragma('locking_mode = EXCLUSIVE');
    held.exec('BEGIN EXCLUSIVE; COMMIT');
    const bytes = indexBytes(folder);
    deleteIndexFile(folder);
    return bytes;
  } catch (thrown) {
    // Held, or not to be opened: then it gives nothing, and opening the workspace says what is wrong.
    if (systemCode(thrown).startsWith('SQLITE_')) return 0;
    throw thrown;
  } finally {
    held?.close();
  }
}
