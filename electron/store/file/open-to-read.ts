import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Db, hasNoRoom, isWritable, openDatabase, systemCode } from './database';

/** What SQLite says where it cannot make its shared memory beside a file, which it needs even to read it. */
const OF_THE_PLACE = /^SQLITE_(CANTOPEN|READONLY|FULL|IOERR)/;

/**
 * Opens a database that is there. Where nothing can be written beside it (a read-only or full disk) and no commit waits in a
 * write-ahead log, its file is all of it and is read as it is, without locks. Throws what SQLite says.
 */
export function openToRead(path: string, options: { readonly?: boolean } = {}): Db {
  const db = openDatabase(path, { mustExist: true, ...options });
  try {
    db.pragma('schema_version');
    return db;
  } catch (thrown) {
    db.close();
    if (!OF_THE_PLACE.test(systemCode(thrown)) || !isAlone(path)) throw thrown;
    const url = path.split('/').map(encodeURIComponent).join('/');
    return openDatabase(`file://${url}?immutable=1`, { readonly: true });
  }
}

/** Nobody can have begun to write it: who has it open keeps a log and shared memory beside it. */
function isAlone(path: string): boolean {
  const folder = dirname(path);
  const waiting = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return waiting === 0 && (!isWritable(folder) || hasNoRoom(folder));
}
