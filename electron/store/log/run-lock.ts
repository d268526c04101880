import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { makeFileIn, makeFoldersIn } from '../../files/private';
import { removeFile } from '../../files/remove';
import { parsedRun } from '../../files/workspace-paths';
import { type Db, openDatabase, storeFailure, systemCode } from '../file/database';

/** A lock that is asked for while another process only looks at it is tried again for this long, ms. */
const PATIENCE_MS = 100;

export interface HeldLock {
  /** One more than the number given out before; grows over the life of the file. */
  epoch: number;
  release(): void;
}

/**
 * Takes an exclusive lock that the operating system releases when the process dies: a SQLite file held in
 * exclusive locking mode, which also keeps the epoch. Null when another connection holds it. `path`: as `workspace-paths`
 * says; a folder `locks` is made for it.
 * @throws WaymarkError `disk_full`, `read_only`, `system_busy`: the lock cannot be written down
 */
export function holdLock(path: string, atLeast = 0, patienceMs = PATIENCE_MS): HeldLock | null {
  const locks = dirname(path);
  let db: Db | undefined;
  try {
    makeFoldersIn(dirname(locks), basename(locks));
    makeFileIn(dirname(locks), basename(locks), basename(path));
    const held = openDatabase(path, { timeoutMs: patienceMs });
    db = held;
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
    db.exec(
      'CREATE TABLE IF NOT EXISTS driver (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL) STRICT',
    );
    const row = db.prepare('SELECT epoch FROM driver').get() as { epoch: number } | undefined;
    const epoch = Math.max(row?.epoch ?? 0, atLeast) + 1;
    db.prepare('INSERT OR REPLACE INTO driver (id, epoch) VALUES (1, ?)').run(epoch);
    db.exec('COMMIT');
    return { epoch, release: () => held.close() };
  } catch (thrown) {
    db?.close();
    if (isBusy(thrown)) {
      return null;
    }
    throw storeFailure(thrown, `the folder ${locks}`, dirname(locks));
  }
}

/** Whether some process holds the lock, this one included. */
export function isLockHeld(path: string): boolean {
  if (!existsSync(path)) {
    return false;
  }
  let db: Db | undefined;
  try {
    db = openDatabase(path, { readonly: true, timeoutMs: 0 });
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (thrown) {
    if (isBusy(thrown)) {
      return true;
    }
    // A journal that nobody holds: the process died while it took the lock, and the next one to take it rolls back.
    if (systemCode(thrown) === 'SQLITE_CANTOPEN' || systemCode(thrown) === 'SQLITE_READONLY_ROLLBACK') {
      return false;
    }
    throw thrown;
  } finally {
    db?.close();
  }
}

/** Of a run that is gone. */
export function deleteLock(workspace: string, run: string): void {
  const name = `${parsedRun(run)}.db`;
  removeFile(workspace, 'locks', name);
  removeFile(workspace, 'locks', `${name}-journal`);
}

function isBusy(thrown: unknown): boolean {
  const code = systemCode(thrown);
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED');
}
