import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import type { EventBody } from '@shared/events';
import type { VerifyProblem } from '@shared/views';
import { LAST_SEQ, rowId } from './ids';
import { PART_BYTES, partPath, sessionFolder } from './session-log';
import type { VerifyContext } from './verify';

interface Piece {
  offset: number;
  length: number;
  sha: Buffer;
}

const READ_BYTES = 1024 * 1024;

/**
 * Bytes of every session: no gap between chunks that no event tells of, every chunk and every sealed part as hashed.
 */
export async function checkSessions(
  context: VerifyContext,
  run: number,
  ulid: string,
): Promise<VerifyProblem[]> {
  const problems: VerifyProblem[] = [];
  const logs = context.statements.all<{ id: number; uid: string; end_offset: number }>(
    'SELECT id, uid, end_offset FROM session_log WHERE run = ? ORDER BY id',
    run,
  );
  const gaps = droppedBytes(context, run);
  for (const { id, uid, end_offset: end } of logs) {
    const where = `run ${ulid} session ${uid}`;
    const folder = sessionFolder(context.folder, ulid, uid);
    const parts = context.statements.all<Piece>(
      'SELECT base AS offset, length, sha FROM session_part WHERE log = ? ORDER BY base',
      id,
    );
    const chunks = context.statements.all<Piece>(
      'SELECT offset, length, sha FROM session_chunk WHERE log = ? ORDER BY offset',
      id,
    );
    const sealed = reach(parts);
    if (sealed === null || reach(chunks) !== end || end - sealed >= PART_BYTES) {
      problems.push({
        what: 'session_gap',
        where,
        message: 'The list of stored output has a gap or a wrong end.',
      });
      continue;
    }
    const dropped = (pieces: readonly Piece[]) => JSON.stringify(pieces.filter(isGap).map(range));
    const told = JSON.stringify(gaps.filter((gap) => gap.uid === uid).map(({ from, to }) => [from, to]));
    if (dropped(parts) !== told || dropped(chunks) !== told) {
      problems.push({
        what: 'session_gap',
        where,
        message: 'Output is missing that no event of the run tells of, or the other way round.',
      });
      continue;
    }
    for (const piece of [...parts, ...chunks].filter((each) => !isGap(each))) {
      const part = parts.find(
        ({ offset, length }) => piece.offset >= offset && piece.offset < offset + length,
      );
      const base = part?.offset ?? sealed;
      if (!hashMatches(partPath(folder, base), piece, base)) {
        problems.push({
          what: 'session_bytes',
          where,
          message: `Bytes ${piece.offset} to ${piece.offset + piece.length} are missing or not as stored.`,
        });
      }
      await context.breathe();
    }
  }
  return problems;
}

/** Bytes that the run's log says were dropped on their host, in order of the log. */
function droppedBytes(context: VerifyContext, run: number): EventBody<'session.gap'>[] {
  return context.statements
    .all<{ body: string }>(
      "SELECT body FROM event WHERE id BETWEEN ? AND ? AND kind = 'session.gap' ORDER BY id",
      rowId(run, 0),
      rowId(run, LAST_SEQ),
    )
    .map(({ body }) => JSON.parse(body) as EventBody<'session.gap'>);
}

const isGap = ({ sha }: Piece) => sha.length === 0;
const range = ({ offset, length }: Piece) => [offset, offset + length];

/** End of pieces that follow each other from 0; null when they do not. */
function reach(pieces: readonly Piece[]): number | null {
  let end = 0;
  for (const { offset, length } of pieces) {
    if (offset !== end) {
      return null;
    }
    end += length;
  }
  return end;
}

function hashMatches(path: string, piece: Piece, base: number): boolean {
  const hash = createHash('sha256');
  try {
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(Math.min(READ_BYTES, Math.max(1, piece.length)));
      for (let done = 0; done < piece.length; ) {
        const wanted = Math.min(buffer.length, piece.length - done);
        const count = readSync(file, buffer, 0, wanted, piece.offset - base + done);
        if (count === 0) {
          return false;
        }
        hash.update(buffer.subarray(0, count));
        done += count;
      }
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) {
      return false;
    }
    throw thrown;
  }
  return hash.digest().equals(piece.sha);
}
