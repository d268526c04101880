import { closeSync, readSync } from 'node:fs';
import { WaymarkError } from '@shared/contract/errors';
import type { SessionView } from '@shared/contract/views';
import { openRegularFile } from '../../files/regular-file';
import { sessionFolder } from '../../files/workspace-paths';
import { bounded, findRun, type ReadContext, type RunRecord } from '../queries/read-context';
import { NOT_READ, partPath } from './part-file';
import { restoreLosses } from './session-list';

const MAX_BYTES = 4 * 1024 * 1024;

interface SessionRow {
  opened_seq: number;
  uid: string;
  computer: string;
  name: string;
  rows: number;
  cols: number;
  exit_code: number | null;
  state: SessionView['state'];
  command: string | null;
  end_offset: number | null;
  last_at: number | null;
}

/** Sessions between two turns of other reads. */
const PAGE = 1_000;

/** Every session of a run in the order they were opened, however many there are. Throws `not_found`. */
export async function readSessions(context: ReadContext, ulid: string): Promise<SessionView[]> {
  const run = findRun(context, ulid);
  const gaps = gapsOf(context, run);
  const views: SessionView[] = [];
  for (let last: SessionRow | undefined; ; ) {
    const page = context.statements.all<SessionRow>(
      `SELECT s.opened_seq, s.uid, s.computer, s.name, s.rows, s.cols, s.exit_code, s.state, s.command, l.end_offset, l.last_at
       FROM session s LEFT JOIN session_log l ON l.run = s.run AND l.uid = s.uid
       WHERE s.run = ? AND (s.opened_seq, s.uid) > (?, ?) ORDER BY s.opened_seq, s.uid LIMIT ${PAGE}`,
      run.id,
      last?.opened_seq ?? 0,
      last?.uid ?? '',
    );
    views.push(...page.map((row) => viewOf(ulid, row, gaps)));
    last = page.at(-1);
    if (page.length < PAGE) return views;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Bytes that are nowhere, by session and in order: dropped on their host, or lost before a restore. */
function gapsOf(
  { statements }: ReadContext,
  { id, state }: RunRecord,
): Readonly<Record<string, SessionView['gaps']>> {
  const gaps: Record<string, SessionView['gaps']> = { ...state.gaps };
  for (const { uid, from, to, stored } of restoreLosses(statements, id)) {
    if (!stored) continue;
    gaps[uid] = [...(gaps[uid] ?? []), { from, to }].sort((one, other) => one.from - other.from);
  }
  return gaps;
}

function viewOf(
  run: string,
  row: SessionRow,
  gaps: Readonly<Record<string, SessionView['gaps']>>,
): SessionView {
  return {
    run,
    computer: row.computer,
    session: row.name,
    uid: row.uid,
    rows: row.rows,
    cols: row.cols,
    endOffset: row.end_offset ?? 0,
    lastByteAt: row.last_at === null || row.last_at === 0 ? null : row.last_at,
    state: row.state,
    exitCode: row.exit_code,
    command: row.command,
    gaps: gaps[row.uid] ?? [],
  };
}

/**
 * Up to `maxBytes` (≤ 4 MB) from `offset`; fewer at the end and before bytes that are missing. The answer's `offset` is
 * behind the one asked for where bytes are missing that were dropped on their host or purged with the run's texts.
 */
export function readSession(
  context: ReadContext,
  ulid: string,
  uid: string,
  offset: number,
  maxBytes: number,
): { offset: number; bytes: Uint8Array; endOffset: number } {
  const run = findRun(context, ulid);
  const log = context.statements.get<OpenLog>(
    'SELECT id, end_offset AS end, file FROM session_log WHERE run = ? AND uid = ?',
    run.id,
    uid,
  );
  let start = bounded(offset, 0, Number.MAX_SAFE_INTEGER, 'The offset');
  const wanted = bounded(maxBytes, 0, MAX_BYTES, 'The number of bytes');
  if (log === undefined || start >= log.end) {
    return { offset: start, bytes: new Uint8Array(), endOffset: log?.end ?? 0 };
  }
  start = Math.max(start, purgedUpTo(context, run.id, log));
  const folder = sessionFolder(context.folder, ulid, uid);
  const pieces: Uint8Array[] = [];
  for (let at = start; at < log.end && at - start < wanted; ) {
    const part = partAt(context, log, at);
    if (part.isGap && pieces.length > 0) {
      break;
    }
    if (part.isGap) {
      start = part.end;
      at = start;
      continue;
    }
    const length = Math.min(wanted - (at - start), part.end - at);
    pieces.push(readPart(partPath(folder, part.base, part.file), at - part.base, length, uid));
    at += length;
  }
  const [only] = pieces;
  const bytes = pieces.length === 1 && only !== undefined ? only : new Uint8Array(Buffer.concat(pieces));
  return { offset: start, bytes, endOffset: log.end };
}

/** Where the bytes begin that came after the run's texts were purged; 0 when they were not. */
function purgedUpTo({ statements }: ReadContext, run: number, log: OpenLog): number {
  if (statements.get("SELECT 1 FROM tombstone WHERE run = ? AND mode = 'text'", run) === undefined) return 0;
  const row = statements.get<{ first: number | null }>(
    'SELECT min(offset) AS first FROM session_chunk WHERE log = ?',
    log.id,
  );
  return row?.first ?? log.end;
}

interface OpenLog {
  id: number;
  end: number;
  file: string | null;
}

/** The sealed part that holds a byte, or the one that is being written. */
function partAt({ statements }: ReadContext, log: OpenLog, at: number) {
  const part = statements.get<{ base: number; length: number; bytes: number; file: string | null }>(
    'SELECT base, length, length(sha) AS bytes, file FROM session_part WHERE log = ? AND base <= ? ORDER BY base DESC LIMIT 1',
    log.id,
    at,
  );
  const sealed = part === undefined ? 0 : part.base + part.length;
  return part !== undefined && at < sealed
    ? { base: part.base, end: sealed, file: part.file, isGap: part.bytes === 0 }
    : { base: sealed, end: log.end, file: log.file, isGap: false };
}

function readPart(path: string, position: number, length: number, uid: string): Uint8Array {
  const bytes = new Uint8Array(length);
  let read = 0;
  try {
    const file = openRegularFile(path, path, NOT_READ);
    try {
      while (read < length) {
        const count = readSync(file, bytes, read, length - read, position + read);
        if (count === 0) {
          break;
        }
        read += count;
      }
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    if (!(thrown instanceof WaymarkError && thrown.code === 'not_found')) {
      throw thrown;
    }
  }
  if (read < length) {
    throw new WaymarkError(
      'workspace_corrupt',
      `The output of session ${uid} is shorter than recorded. Run "verify" to see what is missing.`,
      path,
    );
  }
  return bytes;
}
