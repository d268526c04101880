import { closeSync, openSync, readSync } from 'node:fs';
import { WaymarkError } from '@shared/errors';
import type { SessionView } from '@shared/views';
import { bounded, findRun, type ReadContext } from './read-context';
import { partPath, sessionFolder } from './session-log';

const MAX_BYTES = 4 * 1024 * 1024;

export function readSessions(context: ReadContext, ulid: string): SessionView[] {
  const run = findRun(context, ulid);
  return context.statements
    .all<{
      uid: string;
      computer: string;
      name: string;
      rows: number;
      cols: number;
      ended: number;
      exit_code: number | null;
      state: SessionView['state'];
      command: string | null;
      end_offset: number | null;
      last_at: number | null;
    }>(
      `SELECT s.uid, s.computer, s.name, s.rows, s.cols, s.ended, s.exit_code, s.state, s.command, l.end_offset, l.last_at
       FROM session s LEFT JOIN session_log l ON l.run = s.run AND l.uid = s.uid
       WHERE s.run = ? ORDER BY s.opened_seq LIMIT 1000`,
      run.id,
    )
    .map((row) => ({
      run: ulid,
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
      gaps: run.state.gaps?.[row.uid] ?? [],
    }));
}

/**
 * Up to `maxBytes` (≤ 4 MB) from `offset`; fewer at the end of a part file, so ask again from where it ended. The
 * answer's `offset` is behind the one asked for where bytes are missing that were dropped on their host.
 */
export function readSession(
  context: ReadContext,
  ulid: string,
  uid: string,
  offset: number,
  maxBytes: number,
): { offset: number; bytes: Uint8Array; endOffset: number } {
  const run = findRun(context, ulid);
  const log = context.statements.get<{ id: number; end_offset: number }>(
    'SELECT id, end_offset FROM session_log WHERE run = ? AND uid = ?',
    run.id,
    uid,
  );
  const endOffset = log?.end_offset ?? 0;
  const start = bounded(offset, 0, Number.MAX_SAFE_INTEGER, 'The offset');
  if (log === undefined || start >= endOffset) {
    return { offset: start, bytes: new Uint8Array(), endOffset };
  }
  const part = context.statements.get<{ base: number; length: number; bytes: number }>(
    'SELECT base, length, length(sha) AS bytes FROM session_part WHERE log = ? AND base <= ? ORDER BY base DESC LIMIT 1',
    log.id,
    start,
  );
  if (part?.bytes === 0 && start < part.base + part.length) {
    return readSession(context, ulid, uid, part.base + part.length, maxBytes);
  }
  const sealedEnd = part === undefined ? 0 : part.base + part.length;
  const base = part !== undefined && start < sealedEnd ? part.base : sealedEnd;
  const limit = part !== undefined && start < sealedEnd ? sealedEnd : endOffset;
  const length = Math.min(bounded(maxBytes, 0, MAX_BYTES, 'The number of bytes'), limit - start);
  const path = partPath(sessionFolder(context.folder, ulid, uid), base);
  return { offset: start, bytes: readPart(path, start - base, length, uid), endOffset };
}

function readPart(path: string, position: number, length: number, uid: string): Uint8Array {
  const bytes = new Uint8Array(length);
  let read = 0;
  try {
    const file = openSync(path, 'r');
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
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) {
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
