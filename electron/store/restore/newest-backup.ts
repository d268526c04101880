import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BACKUP_NAME, stampOf } from '../file/backup-names';
import { openDatabase, storeFailure, systemCode } from '../file/database';
import { Statements } from '../file/rows';

/** Tables whose rows are replaced: what people set for tasks. Earlier copies lack some. */
const SETTINGS = ['rule_setting', 'rubric_setting', 'summary_rubric'];

/** How far what people said reaches: the last outbox and annotation entry, and how many settings there are, of which time. */
export function entriesMark(statements: Statements): string {
  const last = (table: string) =>
    statements.get<{ id: number }>(`SELECT coalesce(max(id), 0) AS id FROM ${table}`)?.id ?? 0;
  const settings = SETTINGS.flatMap((table) => {
    if (statements.get('SELECT 1 FROM sqlite_schema WHERE name = ?', table) === undefined) return [];
    const set = statements.get<{ n: number; at: number | null }>(
      `SELECT count(*) AS n, max(at) AS at FROM ${table}`,
    );
    return set === undefined || set.n === 0 ? [] : [`${table} ${set.n} ${set.at}`];
  });
  return [`${last('outbox')} ${last('annotation')}`, ...settings].join(', ');
}

/** Names of the copies in a backups folder, newest first. */
export function backupNames(folder: string): string[] {
  try {
    return readdirSync(join(folder, 'backups'))
      .filter((name) => BACKUP_NAME.test(name))
      .sort()
      .reverse();
  } catch (thrown) {
    // No hint or label was copied yet.
    if (systemCode(thrown) === 'ENOENT') {
      return [];
    }
    throw thrown;
  }
}

/**
 * When the newest copy was made and how far it reaches; without one, or with one that cannot be read, nothing is covered.
 * `at`: ms since 1970.
 */
export function newestBackup(folder: string): { at: number; mark: string } {
  const [name] = backupNames(folder);
  const none = { at: 0, mark: '0 0' };
  if (name === undefined) {
    return none;
  }
  const path = join(folder, 'backups', name);
  const found = statSync(path, { throwIfNoEntry: false });
  // Nothing else is a copy, and a pipe would be waited for.
  if (found?.isFile() !== true) {
    return none;
  }
  try {
    const statements = new Statements(openDatabase(path, { readonly: true }));
    try {
      return { at: stampOf(name) ?? found.mtimeMs, mark: entriesMark(statements) };
    } finally {
      statements.db.close();
    }
  } catch (thrown) {
    // A damaged copy covers nothing; `restore` names it.
    if (storeFailure(thrown, path) === thrown && systemCode(thrown) === '') {
      throw thrown;
    }
    return none;
  }
}
