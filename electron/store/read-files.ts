import { WaymarkError } from '@shared/errors';
import type { EventBody } from '@shared/events';
import type { FileRevision, FileView, QueryView } from '@shared/views';
import { LAST_SEQ, rowId } from './ids';
import { countChangedLines } from './line-diff';
import { findRun, type ReadContext, type RunRecord, readEvents } from './read-context';

const MAX_ROWS = 500;

interface RevisionRow {
  computer: string;
  path: string;
  revision: number;
  seq: number;
  step: number;
  before: string | null;
  after: string | null;
  size: number;
  by: 'action' | 'shell';
}

export function readFiles(context: ReadContext, ulid: string): FileView[] {
  const run = findRun(context, ulid);
  return context.statements.all<FileView>(
    `SELECT computer, path, max(revision) AS revisions, max(step) AS lastStep FROM file_revision WHERE run = ?
     GROUP BY computer, path ORDER BY max(seq) DESC LIMIT ${MAX_ROWS}`,
    run.id,
  );
}

export function readFileRevisions(
  context: ReadContext,
  ulid: string,
  computer: string,
  path: string,
): FileRevision[] {
  const run = findRun(context, ulid);
  return context.statements
    .all<RevisionRow>(
      `SELECT * FROM file_revision WHERE run = ? AND computer = ? AND path = ? ORDER BY revision DESC LIMIT ${MAX_ROWS}`,
      run.id,
      computer,
      path,
    )
    .reverse()
    .map((row) => toRevision(context, run, row));
}

export function revisionsOfStep(
  context: ReadContext,
  run: RunRecord,
  step: number,
  fromSeq: number,
  toSeq: number,
): FileRevision[] {
  return context.statements
    .all<RevisionRow>(
      `SELECT * FROM file_revision WHERE run = ? AND seq BETWEEN ? AND ? AND step = ? ORDER BY seq LIMIT ${MAX_ROWS}`,
      run.id,
      fromSeq,
      toSeq,
      step,
    )
    .map((row) => toRevision(context, run, row));
}

/** Text of a revision, 0 = before the first change. Null when it was not stored as text. */
export function readFileText(
  context: ReadContext,
  ulid: string,
  computer: string,
  path: string,
  revision: number,
): string | null {
  const run = findRun(context, ulid);
  const row = context.statements.get<RevisionRow>(
    'SELECT * FROM file_revision WHERE run = ? AND computer = ? AND path = ? AND revision = ?',
    run.id,
    computer,
    path,
    Math.max(1, revision),
  );
  if (row === undefined) {
    throw new WaymarkError('not_found', `${path} on ${computer} has no revision ${revision} in this run.`);
  }
  const change = changeAt(context, run, row.seq);
  return (revision === 0 ? change?.beforeText : change?.text) ?? null;
}

export function readQueries(context: ReadContext, ulid: string): QueryView[] {
  const run = findRun(context, ulid);
  return context.statements
    .all<QueryView>(
      `SELECT step, tool, query, place AS "where", hits FROM query WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ${MAX_ROWS}`,
      rowId(run.id, 0),
      rowId(run.id, LAST_SEQ),
    )
    .reverse();
}

function toRevision(context: ReadContext, run: RunRecord, row: RevisionRow): FileRevision {
  const change = changeAt(context, run, row.seq);
  const { computer, path, revision, step, seq, before, after, size, by } = row;
  const counts = countChangedLines(change?.beforeText ?? null, change?.text ?? null);
  return { computer, path, revision, step, seq, before, after, size, by, ...counts };
}

function changeAt(context: ReadContext, run: RunRecord, seq: number): EventBody<'file.changed'> | null {
  const [event] = readEvents(context, run, seq, seq, 1);
  return event?.kind === 'file.changed' ? event.body : null;
}
