import type { GroupCommit } from './group-commit';
import { LAST_SEQ, rowId, seqOf } from './ids';
import type { Statements } from './rows';
import type { RunProjection } from './run-projection';

/** Steps whose label columns are renewed in one transaction. */
const CHUNK = 2000;

export interface PendingLabels {
  id: number;
  run: number;
  next: number;
  last: number;
}

/**
 * Renews label columns of a range without a long transaction: the entry and the first steps are one, the rest
 * follows in chunks. What is left is written down, so that a process that dies in between loses nothing.
 */
export class LabelWork {
  constructor(
    private readonly statements: Statements,
    private readonly projection: RunProjection,
    private readonly group: GroupCommit,
  ) {}

  /** Inside the transaction that changed something about the range; null when all is done. */
  begin(run: number, from: number, to: number): PendingLabels | null {
    const next = this.renew(run, from, to);
    if (next > to) {
      return null;
    }
    const { lastInsertRowid } = this.statements.run(
      'INSERT INTO label_work (run, next, last) VALUES (?, ?, ?)',
      run,
      next,
      to,
    );
    return { id: Number(lastInsertRowid), run, next, last: to };
  }

  async finish(work: PendingLabels | null): Promise<void> {
    for (let next = work?.next ?? 0; work !== null && next <= work.last; ) {
      next = await this.group.add({ run: () => this.step(work.id) });
    }
  }

  /** Goes on with what an earlier process left. Rejects with the writer's failure; the work stays written down. */
  async resume(): Promise<void> {
    for (const work of this.statements.all<PendingLabels>('SELECT id, run, next, last FROM label_work')) {
      await this.finish(work);
    }
  }

  private step(id: number): number {
    const work = this.statements.get<PendingLabels>(
      'SELECT id, run, next, last FROM label_work WHERE id = ?',
      id,
    );
    if (work === undefined) {
      return Number.POSITIVE_INFINITY;
    }
    const next = this.renew(work.run, work.next, work.last);
    if (next > work.last) {
      this.statements.run('DELETE FROM label_work WHERE id = ?', id);
    } else {
      this.statements.run('UPDATE label_work SET next = ? WHERE id = ?', next, id);
    }
    return next;
  }

  private renew(run: number, from: number, to: number): number {
    const end = Math.min(to, from + CHUNK - 1);
    this.projection.labels.refreshRange(run, from, end);
    this.projection.refreshTileRange(run, from, end, lastStep(this.statements, run));
    return end + 1;
  }
}

/** Number of the run's latest answered step. */
function lastStep(statements: Statements, run: number): number {
  const row = statements.get<{ id: number | null }>(
    'SELECT max(id) AS id FROM step_head WHERE id BETWEEN ? AND ?',
    rowId(run, 0),
    rowId(run, LAST_SEQ),
  );
  return row?.id === null || row === undefined ? 0 : seqOf(row.id);
}
