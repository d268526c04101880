import { partsOf, type StepRange } from '@shared/contract/step-range';
import { LAST_SEQ, rowId, type Statements, seqOf, tileId } from '../file/rows';
import type { GroupCommit } from '../log/group-commit';
import type { RunProjection } from './run-projection';

/** No further steps are taken up in a transaction that has renewed labels for this long, ms. */
const RENEW_MS = 5;
/** Steps that are looked at together, at first and at most: about some there is much to fold. */
const FIRST_STEPS = 64;
const MOST_STEPS = 1000;

/** Until when a transaction that begins now may renew labels, on the clock of `performance`. */
export function renewalEnd(): number {
  return performance.now() + RENEW_MS;
}

export interface PendingLabels {
  id: number;
  run: number;
  /** What is not renewed yet, ascending and disjoint. */
  left: StepRange[];
}

interface WorkRow {
  id: number;
  run: number;
  next: number;
  last: number;
  parts: string | null;
}

/**
 * Renews label columns of some steps without a long transaction: the entry and the first steps are one, the rest
 * follows in chunks. What is left is written down, so that a process that dies in between loses nothing.
 */
export class LabelWork {
  constructor(
    private readonly statements: Statements,
    private readonly projection: RunProjection,
    private readonly group: GroupCommit,
  ) {}

  /**
   * Inside the transaction that changed something about the steps; null when all is done. `end`: when to leave the rest, where
   * several begin together.
   */
  begin(run: number, parts: readonly StepRange[], end = renewalEnd()): PendingLabels | null {
    return this.postpone(run, this.renew(run, parts, end));
  }

  /** Inside the transaction, as `begin`, for what is renewed later. */
  postpone(run: number, left: StepRange[]): PendingLabels | null {
    const first = left[0];
    const last = left.at(-1);
    if (first === undefined || last === undefined) {
      return null;
    }
    const { lastInsertRowid } = this.statements.run(
      'INSERT INTO label_work (run, next, last, parts) VALUES (?, ?, ?, ?)',
      run,
      first.from,
      last.to,
      left.length === 1 ? null : JSON.stringify(left),
    );
    return { id: Number(lastInsertRowid), run, left };
  }

  /**
   * Inside the transaction, as `postpone`, in place of earlier work: something has changed about the steps since, and another
   * process may have done that work in between.
   */
  postponeAgain(work: PendingLabels | null, run: number, left: StepRange[]): PendingLabels | null {
    if (work !== null) {
      this.statements.run('DELETE FROM label_work WHERE id = ?', work.id);
    }
    return this.postpone(run, left);
  }

  /** `ms`: how long each of the transactions may renew labels. */
  async finish(work: PendingLabels | null, ms = RENEW_MS): Promise<void> {
    for (let left = work?.left ?? []; work !== null && left.length > 0; ) {
      left = await this.group.add({ run: () => this.step({ ...work, left }, ms) });
    }
  }

  /** Goes on with what an earlier process left. Rejects with the writer's failure; the work stays written down. */
  async resume(): Promise<void> {
    for (const row of this.statements.all<WorkRow>('SELECT id, run, next, last, parts FROM label_work')) {
      const parts = row.parts === null ? undefined : (JSON.parse(row.parts) as StepRange[]);
      const left = partsOf({ from: row.next, to: row.last, parts })
        .filter(({ to }) => to >= row.next)
        .map(({ from, to }) => ({ from: Math.max(from, row.next), to }));
      await this.finish({ id: row.id, run: row.run, left });
    }
  }

  private step({ id, run, left }: PendingLabels, ms: number): StepRange[] {
    // Another process may have taken it up and be done.
    if (this.statements.get('SELECT 1 FROM label_work WHERE id = ?', id) === undefined) {
      return [];
    }
    const rest = this.renew(run, left, performance.now() + ms);
    const next = rest[0]?.from;
    if (next === undefined) {
      this.statements.run('DELETE FROM label_work WHERE id = ?', id);
    } else {
      this.statements.run('UPDATE label_work SET next = ? WHERE id = ?', next, id);
    }
    return rest;
  }

  /** Renews the first of the steps, as many as there is time for; returns the others. */
  private renew(run: number, parts: readonly StepRange[], end: number): StepRange[] {
    const last = lastStep(this.statements, run);
    let left = [...parts];
    let start = performance.now();
    for (let steps = FIRST_STEPS; left.length > 0 && start < end; ) {
      const [now, later] = cut(left, steps);
      this.projection.labels.refreshParts(run, now);
      for (const { from, to } of inTiles(now)) {
        this.projection.refreshTileRange(run, from, to, last);
      }
      left = later;
      const done = performance.now();
      const inTime = Math.floor((steps * (end - done)) / Math.max(done - start, 0.01));
      start = done;
      steps = Math.max(FIRST_STEPS, Math.min(inTime, 4 * steps, MOST_STEPS));
    }
    return left;
  }
}

/** The first so many steps of the parts, and the rest. */
function cut(parts: readonly StepRange[], steps: number): [StepRange[], StepRange[]] {
  const now: StepRange[] = [];
  let room = steps;
  for (const [index, { from, to }] of parts.entries()) {
    if (room === 0) {
      return [now, parts.slice(index)];
    }
    const end = Math.min(to, from + room - 1);
    now.push({ from, to: end });
    room -= end - from + 1;
    if (end < to) {
      return [now, [{ from: end + 1, to }, ...parts.slice(index + 1)]];
    }
  }
  return [now, []];
}

/** The same pieces, those in one tile as one: each tile is counted once. */
function inTiles(parts: readonly StepRange[]): StepRange[] {
  const joined: StepRange[] = [];
  for (const { from, to } of parts) {
    const before = joined.at(-1);
    if (before !== undefined && tileId(0, from) <= tileId(0, before.to)) {
      before.to = to;
    } else {
      joined.push({ from, to });
    }
  }
  return joined;
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
