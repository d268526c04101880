import { WaymarkError } from '@shared/contract/errors';
import type { EventKind, RunEvent } from '@shared/log/events';
import { runLockPath } from '../../files/workspace-paths';
import { BlobStore } from '../file/blob-store';
import { rowId, Statements } from '../file/rows';
import { openForReading } from '../file/workspace-file';
import { decodeEvent, EVENT_COLUMNS, type EventRow, SAID_COLUMNS, type SaidRow } from '../log/event-codec';
import { EventOrder } from '../log/event-order';
import { isLockHeld } from '../log/run-lock';
import { noRun } from '../log/run-log';
import type { RunFacts, StoredRunState } from '../log/run-state';

/** A run's stored head, parsed. */
export interface RunRecord {
  id: number;
  ulid: string;
  createdAt: number;
  changedAt: number;
  seq: number;
  epoch: number;
  facts: RunFacts;
  state: StoredRunState;
}

export interface RunRow {
  id: number;
  ulid: string;
  created_at: number;
  changed_at: number;
  seq: number;
  epoch: number;
  facts: string;
  state: string;
}

export const RUN_SELECT = `SELECT r.id, r.ulid, r.created_at, h.changed_at, h.seq, h.epoch, h.facts, h.state
  FROM run r JOIN run_head h ON h.run = r.id`;

/** What every group of read functions shares: one connection for bounded reads. */
export interface ReadContext {
  statements: Statements;
  blobs: BlobStore;
  folder: string;
  isDriven(run: string): boolean;
  now(): number;
}

export function parseRun(row: RunRow): RunRecord {
  return {
    id: row.id,
    ulid: row.ulid,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    seq: row.seq,
    epoch: row.epoch,
    facts: JSON.parse(row.facts) as RunFacts,
    state: JSON.parse(row.state) as StoredRunState,
  };
}

/** Throws `not_found`. */
export function findRun(context: ReadContext, ulid: string): RunRecord {
  const row = context.statements.get<RunRow>(`${RUN_SELECT} WHERE r.ulid = ?`, ulid);
  if (row === undefined) {
    throw noRun(ulid);
  }
  return parseRun(row);
}

/** Whether the run was brought in from another system's log: its second event says so. */
export function isImported({ statements }: Pick<ReadContext, 'statements'>, run: { id: number }): boolean {
  const row = statements.get<{ kind: string }>('SELECT kind FROM event WHERE id = ?', rowId(run.id, 2));
  return row?.kind === 'run.imported';
}

/** At most this much stored text per page of events, so that no answer is unbounded. */
const PAGE_BYTES = 8 * 1024 * 1024;

/**
 * Events `[fromSeq, toSeq]` in order, cut at `limit` and about 8 MB of text; at least one when there is one.
 * `check: false` leaves out parsing by schema, for who reads many events and shows none.
 * @throws WaymarkError `workspace_corrupt` for an event that cannot be read, or one up to the head that is missing
 */
export function readEvents(
  context: ReadContext,
  run: Pick<RunRecord, 'id' | 'ulid' | 'seq'>,
  fromSeq: number,
  toSeq: number,
  limit: number,
  check = true,
): RunEvent[] {
  const events: RunEvent[] = [];
  const order = new EventOrder(context.statements, run, fromSeq);
  let bytes = 0;
  const load = (sha: string) => {
    const text = context.blobs.read(sha);
    bytes += text.length;
    return text;
  };
  const statement = context.statements.prepare(
    `SELECT ${EVENT_COLUMNS} FROM event WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?`,
  );
  for (const row of statement.iterate(rowId(run.id, fromSeq), rowId(run.id, toSeq), limit)) {
    const stored = row as EventRow;
    order.take(stored);
    bytes += stored.body.length;
    events.push(decodeEvent(stored, run.ulid, load, check));
    if (bytes > PAGE_BYTES) {
      return events;
    }
  }
  order.end(Math.min(toSeq, run.seq, fromSeq + limit - 1));
  return events;
}

/**
 * Every event of some kinds in `[fromSeq, toSeq]`, in order. Only where few of these kinds can be between the two: a page of all
 * events may end before what is looked for.
 */
export function readKinds(
  context: ReadContext,
  run: Pick<RunRecord, 'id' | 'ulid'>,
  fromSeq: number,
  toSeq: number,
  kinds: readonly EventKind[],
  { limit = -1, check = true }: { limit?: number; check?: boolean } = {},
): RunEvent[] {
  return context.statements
    .all<SaidRow>(
      `SELECT ${SAID_COLUMNS} FROM event WHERE id BETWEEN ? AND ? AND kind IN (${kinds.map(() => '?').join()})
       ORDER BY id LIMIT ?`,
      rowId(run.id, fromSeq),
      rowId(run.id, toSeq),
      ...kinds,
      limit,
    )
    .map((row) => decodeEvent(row, run.ulid, (sha) => context.blobs.read(sha), check));
}

/** A whole number in `[low, high]`; throws `bad_input` for anything else a caller may have sent. */
export function bounded(value: number, low: number, high: number, what: string): number {
  if (!Number.isSafeInteger(value)) {
    throw new WaymarkError('bad_input', `${what} must be a whole number.`, String(value));
  }
  return Math.min(high, Math.max(low, value));
}

/** First and last event of an answered step; the running one may have no row yet. */
export function stepSpan(
  context: ReadContext,
  run: Pick<RunRecord, 'id' | 'state'>,
  step: number,
): { seq0: number; seq1: number } | undefined {
  const row = context.statements.get<{ seq0: number; seq1: number }>(
    'SELECT seq0, seq1 FROM step_head WHERE id = ?',
    rowId(run.id, step),
  );
  const { head } = run.state;
  return row ?? (head?.step === step ? { seq0: head.seq0, seq1: head.seq1 } : undefined);
}

/** Opens a connection for bounded reads. The workspace must have been opened for writing before. */
export function openReadContext(folder: string, now: () => number): ReadContext {
  const statements = new Statements(openForReading(folder));
  return {
    statements,
    blobs: new BlobStore(statements, folder),
    folder,
    isDriven: (run) => isLockHeld(runLockPath(folder, run)),
    now,
  };
}
