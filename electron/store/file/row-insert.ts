import type { Statements } from './rows';

/** Rows that go in together, the most first: a statement costs about as much as a small row. */
const TOGETHER = [32, 8, 1];

/** An INSERT of any number of rows in few statements. */
export class RowInsert {
  private readonly sizes: readonly { rows: number; sql: string }[];

  /** `into`: the statement up to its VALUES. `row`: one row of them, with `columns` parameters. */
  constructor(
    private readonly statements: Statements,
    into: string,
    row: string,
    private readonly columns: number,
  ) {
    this.sizes = TOGETHER.map((rows) => ({
      rows,
      sql: `${into} VALUES ${Array<string>(rows).fill(row).join(', ')}`,
    }));
  }

  /** `values`: parameters of the rows, one after another. The id of the last row; the others lie right before it. */
  run(values: readonly unknown[]): number {
    let last = 0;
    let at = 0;
    for (const { rows, sql } of this.sizes) {
      const width = rows * this.columns;
      for (; at + width <= values.length; at += width) {
        const some = width === values.length ? values : values.slice(at, at + width);
        last = Number(this.statements.run(sql, some).lastInsertRowid);
      }
    }
    return last;
  }
}
