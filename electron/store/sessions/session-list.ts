import type { EventBody } from '@shared/log/events';
import { LAST_SEQ, rowId, type Statements } from '../file/rows';
import { OUTBOX_PLACE } from '../log/lost-places';
import { hashRange, partPath } from './part-file';
import { PART_BYTES } from './session-log';

export interface Piece {
  offset: number;
  length: number;
  sha: Buffer;
}

export interface Part extends Piece {
  file: string | null;
}

/** Bytes `from..to` of a session, `to` excluded. */
export interface ByteRange {
  from: number;
  to: number;
}

/** Where the output of one session lies, as its rows say. */
export interface SessionList {
  id: number;
  uid: string;
  end: number;
  /** Of the part that is being written. */
  file: string | null;
  parts: Part[];
  chunks: Piece[];
}

/** Bytes that `restore` could not bring back. `at`: ms since 1970. */
export interface RestoreLoss extends ByteRange {
  uid: string;
  /** Whether the lists keep its place as a gap; else it lay behind what is stored. */
  stored: boolean;
  at: number;
}

/** Every session of a run that stored something. */
export function readSessionLists(statements: Statements, run: number): SessionList[] {
  return statements
    .all<{ id: number; uid: string; end: number; file: string | null }>(
      'SELECT id, uid, end_offset AS end, file FROM session_log WHERE run = ? ORDER BY id',
      run,
    )
    .map((log) => ({
      ...log,
      parts: statements.all<Part>(
        'SELECT base AS offset, length, sha, file FROM session_part WHERE log = ? ORDER BY base',
        log.id,
      ),
      chunks: statements.all<Piece>(
        'SELECT offset, length, sha FROM session_chunk WHERE log = ? ORDER BY offset',
        log.id,
      ),
    }));
}

export function restoreLosses(statements: Statements, run: number): RestoreLoss[] {
  return statements
    .all<Omit<RestoreLoss, 'stored'> & { stored: number }>(
      'SELECT uid, from_byte AS "from", to_byte AS "to", stored, at FROM restore_loss WHERE run = ? AND uid <> ? ORDER BY uid, from_byte',
      run,
      OUTBOX_PLACE,
    )
    .map((loss) => ({ ...loss, stored: loss.stored === 1 }));
}

/** Bytes of each session that the run's log says were dropped on their host. */
export function droppedBytes(statements: Statements, run: number): (ByteRange & { uid: string })[] {
  return statements
    .all<{ body: string }>(
      "SELECT body FROM event WHERE id BETWEEN ? AND ? AND kind = 'session.gap' ORDER BY id",
      rowId(run, 0),
      rowId(run, LAST_SEQ),
    )
    .map(({ body }) => JSON.parse(body) as EventBody<'session.gap'>);
}

/** What is wrong with a list itself, whatever its files hold; null: nothing. `told`: the gaps that it must have. */
export function listFault({ parts, chunks, end }: SessionList, told: readonly ByteRange[]): string | null {
  const sealed = reach(parts);
  if (sealed === null || reach(chunks) !== end || end - sealed >= PART_BYTES) {
    return 'The list of stored output has a gap or a wrong end.';
  }
  const expected = rangesText(told);
  if (gapsOf(parts) !== expected || gapsOf(chunks) !== expected) {
    return 'Output is missing that no event of the run tells of, or the other way round.';
  }
  return null;
}

/** Every part in order, the one that is being written last; of a sound list. */
export function allParts({ parts, end, file }: SessionList): (Omit<Part, 'sha'> & { sha: Buffer | null })[] {
  const last = parts.at(-1);
  const sealed = last === undefined ? 0 : last.offset + last.length;
  return end === sealed ? parts : [...parts, { offset: sealed, length: end - sealed, file, sha: null }];
}

/**
 * Stored bytes that are missing or not as they were hashed, in order; neighbours in one part are one range. A part whose own
 * hash is wrong while every chunk of it is right counts whole.
 */
export function lostRanges(list: SessionList, folder: string): ByteRange[] {
  const lost: ByteRange[] = [];
  let next = 0;
  for (const part of allParts(list)) {
    const path = partPath(folder, part.offset, part.file);
    const isSound = ({ offset, length, sha }: Piece) =>
      hashRange(path, offset - part.offset, length)?.equals(sha) === true;
    const before = lost.length;
    for (let chunk = list.chunks[next]; chunk !== undefined; chunk = list.chunks[next]) {
      const { offset, length } = chunk;
      if (offset >= part.offset + part.length) break;
      next += 1;
      if (isGap(chunk) || isSound(chunk)) continue;
      const last = lost.length > before ? lost.at(-1) : undefined;
      if (last?.to === offset) last.to += length;
      else lost.push({ from: offset, to: offset + length });
    }
    const { sha, offset, length } = part;
    if (lost.length === before && sha !== null && !isGap({ sha }) && !isSound({ offset, length, sha })) {
      lost.push({ from: offset, to: offset + length });
    }
  }
  return lost;
}

export function isGap({ sha }: Pick<Piece, 'sha'>): boolean {
  return sha.length === 0;
}

function gapsOf(pieces: readonly Piece[]): string {
  return rangesText(
    pieces.filter(isGap).map(({ offset, length }) => ({ from: offset, to: offset + length })),
  );
}

function rangesText(ranges: readonly ByteRange[]): string {
  return JSON.stringify(ranges.map(({ from, to }) => [from, to]).sort(([a = 0], [b = 0]) => a - b));
}

/** End of pieces that follow each other from 0; null when they do not. */
function reach(pieces: readonly Piece[]): number | null {
  let end = 0;
  for (const { offset, length } of pieces) {
    if (offset !== end) return null;
    end += length;
  }
  return end;
}
