import { openDatabase } from '../file/database';
import { migrate } from '../file/migrate';
import { LAST_SEQ, rowId, Statements } from '../file/rows';
import { Rebuild } from './rebuild';
import type { StepProjector } from './step-projector';

/** Columns of annotation entries that labels are folded from; chains are checked elsewhere. */
const ANNOTATION = 'id, ulid, run, author, op, undoes, device, device_seq, purged, body, hash';

/** A rebuild into a private database, to be compared with what is stored. Close it. */
export class PrivateRebuild {
  readonly statements: Statements;
  readonly rebuild: Rebuild;

  constructor(source: Statements, projector: StepProjector, run: number, ulid: string, purged: boolean) {
    const db = openDatabase('');
    db.pragma('synchronous = OFF');
    db.pragma('foreign_keys = OFF');
    migrate(db);
    this.statements = new Statements(db);
    db.exec('BEGIN');
    this.copy(source, 'annotation', ANNOTATION, 'run = ? AND purged = 0', [run]);
    if (purged) {
      this.copy(source, 'rule_mark', 'step, rule, verdict', 'step BETWEEN ? AND ?', [
        rowId(run, 0),
        rowId(run, LAST_SEQ),
      ]);
    }
    this.rebuild = new Rebuild({ source, target: this.statements, projector, run, ulid, purged });
  }

  close(): void {
    this.statements.db.close();
  }

  private copy(
    source: Statements,
    table: string,
    columns: string,
    where: string,
    parameters: number[],
  ): void {
    const insert = this.statements.prepare(
      `INSERT INTO ${table} (${columns}) VALUES (${columns.replace(/\w+/g, '?')})`,
    );
    const rows = source.db.prepare(`SELECT ${columns} FROM ${table} WHERE ${where}`).raw();
    for (const row of rows.iterate(...parameters)) {
      insert.run(...(row as unknown[]));
    }
  }
}
