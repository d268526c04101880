import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { storeFailure, systemCode } from '../file/database';
import { Statements } from '../file/rows';
import { lookInto, openForReading, workspaceFile } from '../file/workspace-file';
import { findLog } from '../file/workspace-log';
import { findingOf } from '../verify/verify-context';

/** Failures of a place rather than of the file: SQLite has to make its shared memory beside the file even to read it. */
const OF_THE_PLACE = /^(SQLITE_CANTOPEN|SQLITE_READONLY|SQLITE_IOERR|SQLITE_FULL|ENOSPC|EROFS|EACCES)/;

/**
 * Opens a workspace for reading one state of it. Where nothing can be written beside it (a read-only or full disk) its file is
 * read by way of a copy in `aside`, a folder that does not exist yet. Null: nothing of it can be read, and `notes` says why.
 * @throws WaymarkError workspace_newer, bad_input, disk_full where the copy has no room
 */
export function openDamaged(folder: string, aside: string, notes: string[]): Statements | null {
  const path = workspaceFile(folder);
  const log = findLog(path);
  if (log.is !== 'there') {
    notes.push(`No run could be restored. ${log.is === 'lost' ? log.why : `${path} is missing or empty.`}`);
    return null;
  }
  const first = tryOpen(folder);
  if (first instanceof Statements) return first;
  const second = OF_THE_PLACE.test(first.detail ?? '') ? openCopy(folder, aside) : first;
  if (second instanceof Statements) return second;
  notes.push(`No run could be read: ${path} is not readable as a database. ${findingOf(second).message}`);
  return null;
}

function openCopy(folder: string, aside: string): Statements | WaymarkError {
  mkdirSync(aside, { mode: 0o700 });
  for (const end of ['', '-wal']) {
    const file = `${workspaceFile(folder)}${end}`;
    if (existsSync(file)) copyFileSync(file, join(aside, `workspace.db${end}`));
  }
  return tryOpen(aside);
}

/** The failure that is damage, or the place's; every other one is thrown. */
function tryOpen(folder: string): Statements | WaymarkError {
  const path = workspaceFile(folder);
  let statements: Statements | undefined;
  try {
    lookInto(path, { evenDamaged: true });
    statements = new Statements(openForReading(folder));
    statements.db.exec('BEGIN');
    statements.get('SELECT count(*) FROM sqlite_schema');
    return statements;
  } catch (thrown) {
    statements?.db.close();
    const failure = storeFailure(thrown, path);
    if (!(failure instanceof WaymarkError) || failure.code === 'workspace_newer') throw failure;
    return failure.detail === undefined && systemCode(thrown) !== ''
      ? new WaymarkError(failure.code, failure.message, systemCode(thrown))
      : failure;
  }
}
