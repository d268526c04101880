import type { VerifyProblem } from '@shared/contract/views';
import { type Db, openDatabase, WORKSPACE_APPLICATION_ID } from '../file/database';
import { migrate, migrations, readVersion } from '../file/migrate';
import type { VerifyDepth } from './verify-context';

/**
 * SQLite's own view: pages, foreign keys, and at full depth that every index has exactly its table's rows. It does not see
 * changed bytes inside a value.
 */
export function checkPages(db: Db, depth: VerifyDepth): VerifyProblem[] {
  const found = db.pragma(depth === 'all' ? 'integrity_check(20)' : 'quick_check(20)') as object[];
  const details = found
    .map((row) => String(Object.values(row)[0]))
    .filter((detail) => detail !== 'ok')
    .join('\n');
  const message = 'Parts of the file are damaged.';
  const problems = details === '' ? [] : [{ what: 'pages', where: 'workspace.db', message, detail: details }];
  const orphans = db.pragma('foreign_key_check') as { table: string; rowid: number | null }[];
  return [
    ...problems,
    ...orphans.slice(0, 20).map(({ table, rowid }) => ({
      what: 'orphan',
      where: `${table} ${rowid ?? ''}`.trim(),
      message: 'This row belongs to a row that is gone.',
    })),
  ];
}

/** The file's tables, indexes and triggers are exactly those that the migrations make. */
export function checkSchema(db: Db): VerifyProblem[] {
  const fresh = openDatabase('');
  try {
    migrate(fresh);
    const problems: VerifyProblem[] = [];
    if (describe(db) !== describe(fresh)) {
      problems.push({
        what: 'schema',
        where: 'workspace.db',
        message: 'Tables or triggers are not as they were made.',
      });
    }
    const version = readVersion(db);
    const application = Number(db.pragma('application_id', { simple: true }));
    if (version !== migrations.at(-1)?.version || application !== WORKSPACE_APPLICATION_ID) {
      problems.push({
        what: 'schema',
        where: 'workspace.db',
        message: `The file says format ${version}, application ${application}.`,
      });
    }
    return problems;
  } finally {
    fresh.close();
  }
}

function describe(db: Db): string {
  return JSON.stringify(
    db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all(),
  );
}
