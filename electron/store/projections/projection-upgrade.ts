import type { BlobStore } from '../file/blob-store';
import { LAST_SEQ, rowId, type Statements, seqOf } from '../file/rows';
import { decodeEvent, EVENT_COLUMNS, type EventRow } from '../log/event-codec';
import { EventOrder } from '../log/event-order';
import { FOLD_VERSION } from '../log/run-state';
import { unreadableRun } from '../log/unreadable-run';
import { Rebuild } from './rebuild';
import type { StepProjector } from './step-projector';

const PAGE = 500;

/** A longer run is derived again in the background: the workspace is to open at once. */
const SHORT_EVENTS = 4_000;
/** Short runs, too, are left to the background once this is used up, ms. */
const OPENING_MS = 1_000;

export interface OutdatedRun {
  id: number;
  ulid: string;
  seq: number;
}

/** Runs whose projections an application with another fold kept, the newest first. */
export function outdatedRuns(statements: Statements): OutdatedRun[] {
  return statements.all<OutdatedRun>(
    `SELECT r.id, r.ulid, h.seq FROM run_head h JOIN run r ON r.id = h.run
     WHERE json_extract(h.state, '$.version') IS NOT ? ORDER BY r.id DESC`,
    FOLD_VERSION,
  );
}

/**
 * Derives the projections of short outdated runs again, before anything is appended. One transaction per run: it is whole
 * in the old form or in the new.
 */
export function rebuildOutdated(statements: Statements, blobs: BlobStore, projector: StepProjector): void {
  const end = performance.now() + OPENING_MS;
  for (const { id, ulid, seq } of outdatedRuns(statements)) {
    if (seq > SHORT_EVENTS || performance.now() > end) {
      continue;
    }
    statements.db.exec('BEGIN IMMEDIATE');
    try {
      rebuildInPlace(statements, blobs, projector, id, ulid);
      statements.db.exec('COMMIT');
    } catch (thrown) {
      if (statements.db.inTransaction) {
        statements.db.exec('ROLLBACK');
      }
      // The background comes across it again, and says so; the workspace opens without it.
      if (unreadableRun(ulid, thrown) === null) throw thrown;
    }
  }
}

/** Derives one run's projections from its log again, where they are. Inside the caller's transaction. */
export function rebuildInPlace(
  statements: Statements,
  blobs: BlobStore,
  projector: StepProjector,
  run: number,
  ulid: string,
): void {
  const purged = statements.get('SELECT 1 FROM tombstone WHERE run = ?', run) !== undefined;
  const rebuild = new Rebuild({ source: statements, target: statements, projector, run, ulid, purged });
  clearProjections(statements, run, purged);
  rebuild.entries();
  const order = new EventOrder(statements, { id: run, ulid });
  for (let next = 1; ; ) {
    const rows = statements.all<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ${PAGE}`,
      rowId(run, next),
      rowId(run, LAST_SEQ),
    );
    for (const row of rows) order.take(row);
    rebuild.apply(rows.map((row) => decodeEvent(row, ulid, (sha) => blobs.read(sha))));
    const last = rows.at(-1);
    if (last === undefined) {
      break;
    }
    next = seqOf(last.id) + 1;
  }
  order.end(statements.get<{ seq: number }>('SELECT seq FROM run_head WHERE run = ?', run)?.seq ?? 0);
  rebuild.finish();
  statements.run(
    `UPDATE run_head SET facts = ?, state = ?, changed_at = ?, rule_version = iif(?, rule_version, ?),
     rule_seq = iif(?, rule_seq, seq), precedence = iif(?, precedence, ?) WHERE run = ?`,
    JSON.stringify(rebuild.facts),
    JSON.stringify(rebuild.state),
    rebuild.state.lastAt,
    purged ? 1 : 0,
    rebuild.inForce?.version ?? null,
    purged ? 1 : 0,
    purged ? 1 : 0,
    rebuild.inForce?.precedence ?? 'union',
    run,
  );
}

function clearProjections(statements: Statements, run: number, purged: boolean): void {
  const range = [rowId(run, 0), rowId(run, LAST_SEQ)];
  for (const table of ['step_head', 'note', 'segment', 'query', 'evaluation', 'timing', 'tile']) {
    statements.run(`DELETE FROM ${table} WHERE id BETWEEN ? AND ?`, ...range);
  }
  if (!purged) {
    statements.run('DELETE FROM rule_mark WHERE step BETWEEN ? AND ?', ...range);
  }
  for (const table of ['file_revision', 'session', 'hint', 'mark', 'gesture', 'label_work']) {
    statements.run(`DELETE FROM ${table} WHERE run = ?`, run);
  }
}
