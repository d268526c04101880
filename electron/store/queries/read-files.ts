import { countChangedLines } from '@shared/base/line-diff';
import { WaymarkError } from '@shared/contract/errors';
import type {
  FileContent,
  FilePage,
  FileRevision,
  LineCounts,
  RevisionPage,
} from '@shared/contract/file-views';
import type { QueryView } from '@shared/contract/views';
import type { EventBody } from '@shared/log/events';
import { LAST_SEQ, rowId } from '../file/rows';
import { countUpTo, fileSources, fileStretches, movedPath, type Stretch } from '../projections/file-lineage';
import type { FileKey } from '../values';
import { bounded, findRun, type ReadContext, type RunRecord, readEvents } from './read-context';

const MAX_ROWS = 500;
const MAX_PAGE = 200;
/** Lines are counted for as long as this in one answer, ms; the rest is asked for again. */
const COUNTING_MS = 20;
/** The log keeps texts up to this size, bytes. */
const KEPT_TEXT = 1024 * 1024;

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

interface FileRow {
  computer: string;
  path: string;
  revisions: number;
  seq: number;
  lastStep: number;
  after: string | null;
}

/** Files of the run and of what it inherited, the one changed last first; `filter` is a part of the path. */
export function readFiles(
  context: ReadContext,
  ulid: string,
  page: { filter: string; offset: number; limit: number },
): FilePage {
  const run = findRun(context, ulid);
  const known = new Map<string, FileRow>();
  for (const { run: owner, to, root } of fileSources(context, run)) {
    // The columns beside a single max() are those of its row.
    const rows = context.statements.all<FileRow>(
      `SELECT computer, path, count(*) AS revisions, max(seq) AS seq, step AS lastStep, after FROM file_revision
       WHERE run = ? AND step <= ? GROUP BY computer, path ORDER BY seq`,
      owner.id,
      to,
    );
    for (const own of rows) {
      const row = { ...own, path: movedPath(own.path, root) };
      const key = `${row.computer}\n${row.path}`;
      const before = known.get(key)?.revisions ?? 0;
      known.delete(key);
      known.set(key, { ...row, revisions: row.revisions + before });
    }
  }
  const wanted = page.filter.trim().toLowerCase();
  const files = [...known.values()].filter(({ path }) => path.toLowerCase().includes(wanted)).reverse();
  const offset = bounded(page.offset, 0, known.size, 'The first file');
  return {
    files: files
      .slice(offset, offset + bounded(page.limit, 1, MAX_ROWS, 'The number of files'))
      .map(({ computer, path, revisions, lastStep, after }) => ({
        computer,
        path,
        revisions,
        lastStep,
        removed: after === null,
      })),
    total: files.length,
  };
}

export function readFileRevisions(
  context: ReadContext,
  ulid: string,
  file: FileKey,
  at: { step: number } | { revision: number } | null,
  limit: number,
): RevisionPage {
  const run = findRun(context, ulid);
  const parts = fileStretches(context, run, file);
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const chosen = Math.min(total, at === null ? total : placeOf(context, parts, file.computer, at));
  const size = bounded(limit, 1, MAX_PAGE, 'The number of revisions');
  const first = Math.max(1, Math.min(chosen - Math.floor(size / 2), total - size + 1));
  const revisions = parts.flatMap((part) =>
    context.statements
      .all<RevisionRow>(
        'SELECT * FROM file_revision WHERE run = ? AND computer = ? AND path = ? AND revision BETWEEN ? AND ? ORDER BY revision',
        part.run.id,
        file.computer,
        part.path,
        Math.max(1, first - part.offset),
        Math.min(part.count, first + size - 1 - part.offset),
      )
      .map((row) => toRevision(context, row, part)),
  );
  return { revisions, first, total, chosen };
}

function placeOf(
  context: ReadContext,
  parts: readonly Stretch[],
  computer: string,
  at: { step: number } | { revision: number },
): number {
  if ('revision' in at) return bounded(at.revision, 0, LAST_SEQ, 'The revision');
  const step = bounded(at.step, 0, LAST_SEQ, 'The step');
  return parts.reduce(
    (sum, { run, path, count }) => sum + Math.min(count, countUpTo(context, run, { computer, path }, step)),
    0,
  );
}

/** Lines of each revision against the one before; the first is always counted, the others while there is time. */
export function readFileCounts(
  context: ReadContext,
  ulid: string,
  file: FileKey,
  revisions: readonly number[],
): LineCounts[] {
  const parts = fileStretches(context, findRun(context, ulid), file);
  const until = performance.now() + COUNTING_MS;
  const counted: LineCounts[] = [];
  for (const revision of revisions.slice(0, MAX_PAGE)) {
    if (counted.length > 0 && performance.now() > until) break;
    const found = rowOf(context, parts, revision);
    const change = found === undefined ? null : changeAt(context, found.owner, found.row.seq);
    counted.push({ revision, counts: change === null ? null : countsOf(change) });
  }
  return counted;
}

/** Revisions that a step made, numbered as the run that made it numbers them; lines are counted while there is time. */
export function revisionsOfStep(
  context: ReadContext,
  run: RunRecord,
  step: number,
  fromSeq: number,
  toSeq: number,
): FileRevision[] {
  const until = performance.now() + COUNTING_MS;
  return context.statements
    .all<RevisionRow>(
      `SELECT * FROM file_revision WHERE run = ? AND seq BETWEEN ? AND ? AND step = ? ORDER BY seq`,
      run.id,
      fromSeq,
      toSeq,
      step,
    )
    .map((row) => {
      const same = { from: run.state.root, to: run.state.root };
      // Only a branch counts on from somewhere.
      const part = run.facts.parent === null ? undefined : fileStretches(context, run, row).at(-1);
      const revision = toRevision(context, row, part ?? { run, inherited: false, offset: 0, root: same });
      const change = performance.now() > until ? null : changeAt(context, run, row.seq);
      return { ...revision, ...(change === null ? null : countsOf(change)) };
    });
}

/** A file at a revision, 0 = before the first change. Throws `not_found`. */
export function readFileText(
  context: ReadContext,
  ulid: string,
  file: FileKey,
  revision: number,
): FileContent {
  const run = findRun(context, ulid);
  const found = rowOf(context, fileStretches(context, run, file), Math.max(1, revision));
  if (found === undefined) {
    throw new WaymarkError(
      'not_found',
      `${file.path} on ${file.computer} has no revision ${revision} in this run.`,
    );
  }
  const { owner, row } = found;
  const change = changeAt(context, owner, row.seq);
  const first = revision === 0;
  const sha256 = first ? row.before : row.after;
  if (sha256 === null) return { kind: 'absent' };
  const text = (first ? change?.beforeText : change?.text) ?? null;
  if (text !== null) {
    return { kind: 'text', text, size: first ? Buffer.byteLength(text) : row.size, sha256 };
  }
  const purged = context.statements.get("SELECT 1 FROM tombstone WHERE run = ? AND mode = 'text'", owner.id);
  if (purged !== undefined) return { kind: 'purged', size: first ? null : row.size, sha256 };
  if (first) return { kind: 'unknown', size: null, sha256 };
  return { kind: row.size > KEPT_TEXT ? 'large' : 'binary', size: row.size, sha256 };
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

function rowOf(
  context: ReadContext,
  parts: readonly Stretch[],
  revision: number,
): { owner: RunRecord; row: RevisionRow } | undefined {
  const part = parts.find(({ offset, count }) => revision > offset && revision <= offset + count);
  if (part === undefined) return undefined;
  const row = context.statements.get<RevisionRow>(
    'SELECT * FROM file_revision WHERE run = ? AND computer = ? AND path = ? AND revision = ?',
    part.run.id,
    part.computer,
    part.path,
    revision - part.offset,
  );
  return row === undefined ? undefined : { owner: part.run, row };
}

function toRevision(
  context: ReadContext,
  row: RevisionRow,
  part: Pick<Stretch, 'run' | 'inherited' | 'offset' | 'root'>,
): FileRevision {
  const { computer, revision, step, seq, before, after, size, by } = row;
  const end = (side: 'before' | 'after', sha: string) => {
    const path = otherEnd(context, part.run, row, side, sha);
    return path === null ? null : movedPath(path, part.root);
  };
  return {
    computer,
    step,
    seq,
    before,
    after,
    size,
    by,
    path: movedPath(row.path, part.root),
    revision: revision + part.offset,
    added: null,
    removed: null,
    movedTo: after === null && before !== null ? end('after', before) : null,
    movedFrom: before === null && after !== null ? end('before', after) : null,
    inheritedFrom: part.inherited ? part.run.ulid : null,
  };
}

/** The path that appeared (or vanished) in the same step with the content this one had (or has). */
function otherEnd(
  context: ReadContext,
  run: RunRecord,
  row: RevisionRow,
  side: 'before' | 'after',
  sha: string,
): string | null {
  const [has, lacks] = side === 'after' ? ['after', 'before'] : ['before', 'after'];
  const found = context.statements.get<{ path: string }>(
    `SELECT path FROM file_revision WHERE run = ? AND seq BETWEEN ? AND ? AND step = ? AND computer = ?
     AND ${has} = ? AND ${lacks} IS NULL LIMIT 1`,
    run.id,
    Math.max(0, row.seq - MAX_ROWS),
    row.seq + MAX_ROWS,
    row.step,
    row.computer,
    sha,
  );
  return found?.path ?? null;
}

function countsOf(change: EventBody<'file.changed'>): { added: number; removed: number } | null {
  const { before, beforeText, after, text } = change;
  if ((before !== null && beforeText === null) || (after !== null && text === null)) return null;
  return countChangedLines(beforeText, text);
}

function changeAt(context: ReadContext, run: RunRecord, seq: number): EventBody<'file.changed'> | null {
  const [event] = readEvents(context, run, seq, seq, 1);
  return event?.kind === 'file.changed' ? event.body : null;
}
