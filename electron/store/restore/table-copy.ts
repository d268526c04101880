import { WaymarkError } from '@shared/contract/errors';
import { storeFailure } from '../file/database';
import type { Statements } from '../file/rows';

type Value = string | number | bigint | null | Buffer;

/** Columns that both sides have: the damaged workspace may be of an older form. Empty: it has no such table. */
export function commonColumns(source: Statements, target: Statements, table: string): string[] {
  const of = (statements: Statements) =>
    statements.all<{ name: string }>('SELECT name FROM pragma_table_info(?)', table).map(({ name }) => name);
  const known = new Set(of(source));
  return of(target).filter((column) => known.has(column));
}

/** Copies rows as they are; how many. Rows that are there already stay. Throws what a damaged page raises. */
export function copyRows(
  source: Statements,
  target: Statements,
  table: string,
  where = '1',
  parameters: readonly (number | string)[] = [],
): number {
  const columns = commonColumns(source, target, table);
  if (columns.length === 0) {
    return 0;
  }
  const insert = target.prepare(
    `INSERT OR IGNORE INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`,
  );
  let copied = 0;
  for (const row of source.db
    .prepare(`SELECT ${columns} FROM ${table} WHERE ${where}`)
    .raw()
    .iterate(...parameters)) {
    copied += insert.run(...(row as Value[])).changes;
  }
  return copied;
}

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
