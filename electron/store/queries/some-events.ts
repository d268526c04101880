import type { EventKind, RunEvent } from '@shared/log/events';
import { rowId, type Statements, seqOf } from '../file/rows';
import { decodeEvent, type EventRow, knownKind } from '../log/event-codec';
import { EventOrder } from '../log/event-order';
import { findRun, type ReadContext } from './read-context';

/** An event whose body nobody asked for: it is there, in its place, and of a kind that this version knows. */
interface PassedEvent {
  passed: true;
  kind: EventKind;
  seq: number;
  /** Of an observation, where its body begins with that number; else null. */
  step: number | null;
}

export type SomeEvent = RunEvent | PassedEvent;

/**
 * Stored text in a page. Smaller than a page that goes to another thread: what is read here is used at once, and what is used up
 * before the memory is cleaned for the first time costs nothing to clean.
 */
const PAGE_BYTES = 1024 * 1024;

/** As much of an observation's body as begins with its step. */
const BEGINNING = 32;
const STEP = /^\{"step":(\d{1,15})[,}]/;

/**
 * As `readEvents` up to the head, for who reads many events and needs few kinds of them: of others neither the body is taken from
 * the file nor are its texts. `check` as there. At most `limit`; at least one when there is one.
 * @throws WaymarkError as `readEvents`, for bodies that were asked for
 */
export function readSomeEvents(
  context: ReadContext,
  run: string,
  { from, limit, kinds, check }: { from: number; limit: number; kinds: readonly EventKind[]; check: boolean },
): SomeEvent[] {
  const record = findRun(context, run);
  const wanted: ReadonlySet<string> = new Set(kinds);
  const order = new EventOrder(context.statements, record, from);
  const events: SomeEvent[] = [];
  let bytes = 0;
  const load = (sha: string) => {
    const text = context.blobs.read(sha);
    bytes += text.length;
    return text;
  };
  const rows = statementFor(context.statements, kinds).iterate(
    rowId(record.id, from),
    rowId(record.id, record.seq),
    limit,
  );
  for (const each of rows) {
    const row = each as Row;
    order.take(row);
    bytes += row.body.length;
    events.push(wanted.has(row.kind) ? decodeEvent(row, run, load, check) : passed(row, run));
    if (bytes > PAGE_BYTES) return events;
  }
  order.end(Math.min(record.seq, from + limit - 1));
  return events;
}

type Row = Omit<EventRow, 'hash' | 'purged'>;

function passed(row: Row, run: string): PassedEvent {
  const kind = knownKind(row, run);
  const step = kind === 'action.observed' ? STEP.exec(row.body)?.[1] : undefined;
  return { passed: true, kind, seq: seqOf(row.id), step: step === undefined ? null : Number(step) };
}

function statementFor(statements: Statements, kinds: readonly EventKind[]) {
  const names = kinds.map((kind) => `'${kind}'`).join();
  return statements.prepare(
    `SELECT id, version, kind, at, epoch, CASE WHEN kind IN (${names}) THEN body
       WHEN kind = 'action.observed' THEN substr(body, 1, ${BEGINNING}) ELSE '' END AS body
     FROM event WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?`,
  );
}
