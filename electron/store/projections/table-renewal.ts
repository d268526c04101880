import type { Statements } from '../file/rows';

/** A table of which one run's rows are compared and renewed, page by page in the order of its key. */
export interface RenewedTable {
  name: string;
  /** Columns of the primary key that differ within the run, in order. */
  key: readonly string[];
  /** Which rows, with the parameters of the run. */
  scope: string;
  parameters: readonly (number | string)[];
  /** Columns that are left alone; a new row gets their defaults. */
  keep?: ReadonlySet<string>;
}

type Value = string | number | null | Buffer;
type Row = Value[];

/** Rows that are compared in one transaction. */
const PAGE = 200;

/** Makes the rows of one table what another database says they are; only rows that differ are written. */
export class TableRenewal {
  /** Rows that differed so far. */
  changed = 0;
  private readonly columns: string[];
  private last: Row | null = null;

  constructor(
    private readonly stored: Statements,
    private readonly fresh: Statements,
    private readonly table: RenewedTable,
  ) {
    const named = stored.all<{ name: string }>(`SELECT name FROM pragma_table_info('${table.name}')`);
    const others = named
      .map(({ name }) => name)
      .filter((name) => !table.key.includes(name) && !table.keep?.has(name));
    this.columns = [...table.key, ...others];
  }

  /** Compares the next page inside the caller's transaction; false when there is none. */
  next(): boolean {
    const expected = this.rows(this.fresh, this.last, null, PAGE);
    const upTo = expected.length < PAGE ? null : (expected.at(-1) ?? null);
    const found = new Map(this.rows(this.stored, this.last, upTo, -1).map((row) => [this.keyOf(row), row]));
    for (const row of expected) {
      const key = this.keyOf(row);
      const known = found.get(key);
      found.delete(key);
      if (known === undefined) this.insert(row);
      else if (!row.every((value, index) => same(value, known[index]))) this.update(row);
    }
    for (const row of found.values()) this.remove(row);
    this.last = upTo;
    return upTo !== null;
  }

  private rows(from: Statements, after: Row | null, upTo: Row | null, limit: number): Row[] {
    const { name, key, scope, parameters } = this.table;
    const tuple = `(${key.join()})`;
    const places = `(${key.map(() => '?').join()})`;
    const sql = `SELECT ${this.columns.join()} FROM ${name} WHERE ${scope}${after === null ? '' : ` AND ${tuple} > ${places}`}${
      upTo === null ? '' : ` AND ${tuple} <= ${places}`
    } ORDER BY ${key.join()} LIMIT ?`;
    const bounds = [after, upTo].flatMap((row) => (row === null ? [] : row.slice(0, key.length)));
    return from
      .prepare(sql)
      .raw()
      .all(...parameters, ...bounds, limit) as Row[];
  }

  private keyOf(row: Row): string {
    return JSON.stringify(row.slice(0, this.table.key.length));
  }

  private insert(row: Row): void {
    this.stored.run(
      `INSERT INTO ${this.table.name} (${this.columns.join()}) VALUES (${this.columns.map(() => '?').join()})`,
      ...row,
    );
    this.changed += 1;
  }

  private update(row: Row): void {
    const { key, name } = this.table;
    const others = this.columns.slice(key.length);
    this.stored.run(
      `UPDATE ${name} SET ${others.map((column) => `${column} = ?`).join()} WHERE ${this.ofKey()}`,
      ...row.slice(key.length),
      ...this.table.parameters,
      ...row.slice(0, key.length),
    );
    this.changed += 1;
  }

  private remove(row: Row): void {
    this.stored.run(
      `DELETE FROM ${this.table.name} WHERE ${this.ofKey()}`,
      ...this.table.parameters,
      ...row.slice(0, this.table.key.length),
    );
    this.changed += 1;
  }

  private ofKey(): string {
    return [this.table.scope, ...this.table.key.map((column) => `${column} = ?`)].join(' AND ');
  }
}

function same(left: Value, right: Value | undefined): boolean {
  return Buffer.isBuffer(left) && Buffer.isBuffer(right) ? left.equals(right) : Object.is(left, right);
}
