import type { EventBody } from '@shared/events';
import type { VerifyProblem } from '@shared/views';
import { runLockPath, sessionFolder } from '../files/workspace-paths';
import { LAST_SEQ, rowId } from './ids';
import { hashRange, partPath } from './part-file';
import { isLockHeld } from './run-lock';
import type { SeenOutput } from './seen-output';
import { PART_BYTES } from './session-log';
import type { VerifyContext } from './verify';

interface Piece {
  offset: number;
  length: number;
  sha: Buffer;
}

interface Part extends Piece {
  file: string | null;
}

/**
 * Bytes of every session: no gap between chunks that no event tells of, every chunk and every sealed part as hashed, and
 * nothing missing behind them that an observation saw.
 */
export async function checkSessions(
  context: VerifyContext,
  run: number,
  ulid: string,
  seen: SeenOutput,
): Promise<VerifyProblem[]> {
  const logs = context.statements.all<{ id: number; uid: string; end_offset: number; file: string | null }>(
    'SELECT id, uid, end_offset, file FROM session_log WHERE run = ? ORDER BY id',
    run,
  );
  const problems = shortfalls(context, ulid, seen, new Map(logs.map((log) => [log.uid, log.end_offset])));
  const gaps = droppedBytes(context, run);
  for (const { id, uid, end_offset: end, file } of logs) {
    const where = `run ${ulid} session ${uid}`;
    const folder = sessionFolder(context.folder, ulid, uid);
    const parts = context.statements.all<Part>(
      'SELECT base AS offset, length, sha, file FROM session_part WHERE log = ? ORDER BY base',
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
    if (parts.some((part) => isGap(part) && part.file !== null)) {
      problems.push({ what: 'row', where, message: 'Output that is missing is said to be in a file.' });
    }
    const open = { offset: sealed, length: end - sealed, file };
    for (const [piece, part] of inParts([...parts, open], chunks)) {
      const path = partPath(folder, part.offset, part.file);
      const sha = hashRange(path, piece.offset - part.offset, piece.length);
      if (sha?.equals(piece.sha) !== true) {
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

/** Every piece whose bytes are somewhere, with the part that holds it: each sealed part itself, and the chunks in order. */
function* inParts(
  parts: readonly (Omit<Part, 'sha'> & Partial<Pick<Part, 'sha'>>)[],
  chunks: readonly Piece[],
): Generator<[Piece, Omit<Part, 'sha'>]> {
  let next = 0;
  for (const part of parts) {
    const { offset, length, sha } = part;
    if (sha !== undefined && sha.length > 0) {
      yield [{ offset, length, sha }, part];
    }
    for (; next < chunks.length; next += 1) {
      const chunk = chunks[next];
      if (chunk === undefined || chunk.offset >= offset + length) {
        break;
      }
      if (!isGap(chunk)) {
        yield [chunk, part];
      }
    }
  }
}

/**
 * Output that an observation saw and that is not stored. While the run is driven it is still being fetched: its driver says
 * so when it cannot.
 */
function shortfalls(
  { folder }: VerifyContext,
  ulid: string,
  seen: SeenOutput,
  ends: ReadonlyMap<string, number>,
): VerifyProblem[] {
  const short = seen.sessions().filter(({ uid, end }) => end > (ends.get(uid) ?? 0));
  if (short.length === 0 || isLockHeld(runLockPath(folder, ulid))) {
    return [];
  }
  return short.map(({ uid, key, end, step }) => ({
    what: 'session_short',
    where: `run ${ulid} session ${uid}`,
    message: `Step ${step} saw the output of ${key} up to byte ${end}, but only ${ends.get(uid) ?? 0} bytes are stored. A run that has not ended fetches the rest when it is resumed and its computer still has it.`,
  }));
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
