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
