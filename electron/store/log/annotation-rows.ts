import type { AnnotationEntry } from '@shared/log/annotations';
import { RowInsert } from '../file/row-insert';
import type { Statements } from '../file/rows';

/** A row of the annotation log. `said` null: the entry of a removed run, of which only its place in the chain is kept. */
export interface NewAnnotationRow {
  ulid: string;
  /** Row of its run. */
  run: number;
  device: string;
  deviceSeq: number;
  said: Pick<AnnotationEntry, 'author' | 'body'> | null;
  /** As it is hashed, and its link of the chain in hex. */
  text: string;
  hash: string;
}

/** Puts rows into the annotation log, many in a statement. */
export class AnnotationRows {
  private readonly rows: RowInsert;

  constructor(statements: Statements) {
    const into =
      'INSERT INTO annotation (ulid, run, author, op, undoes, device, device_seq, purged, body, hash)';
    this.rows = new RowInsert(statements, into, '(?, ?, ?, ?, ?, ?, ?, ?, ?, unhex(?))', 10);
  }

  /** The id of the first one; the others follow it. */
  insert(rows: readonly NewAnnotationRow[]): number {
    const values: unknown[] = [];
    for (const { ulid, run, device, deviceSeq, said, text, hash } of rows) {
      const body = said?.body;
      values.push(
        ulid,
        run,
        said?.author.uuid ?? '',
        body?.op ?? '',
        body?.op === 'undo' ? body.entry : null,
      );
      values.push(device, deviceSeq, said === null ? 1 : 0, said === null ? '' : text, hash);
    }
    return this.rows.run(values) - rows.length + 1;
  }
}
