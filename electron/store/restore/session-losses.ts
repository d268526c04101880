import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { newUlid } from '../../base/new-ulid';
import { makeFileIn } from '../../files/private';
import { openRegularFile } from '../../files/regular-file';
import { removeFile } from '../../files/remove';
import { sessionFolder } from '../../files/workspace-paths';
import type { Statements } from '../file/rows';
import { rowSum } from '../log/hashing';
import type { SeenOutput } from '../projections/seen-output';
import { NOT_READ, partPath } from '../sessions/part-file';
import {
  allParts,
  type ByteRange,
  droppedBytes,
  listFault,
  lostRanges,
  type RestoreLoss,
  readSessionLists,
  restoreLosses,
  type SessionList,
} from '../sessions/session-list';
import { NO_BYTES } from '../sessions/session-log';

/** A run that came back with its log. */
export interface SettledRun {
  /** Number under which its rows lie. */
  id: number;
  ulid: string;
  seen: SeenOutput;
}

/**
 * Brings the lists of what a run's terminals printed in line with the files that came back: what is lost becomes a gap that the
 * workspace knows of, so that reading, driving on and `verify` take it as one. What was lost, in words.
 * @param at ms since 1970
 */
export function settleSessions(target: Statements, workspace: string, run: SettledRun, at: number): string[] {
  const notes: string[] = [];
  const known = restoreLosses(target, run.id);
  const dropped = droppedBytes(target, run.id);
  const ends = new Map<string, number>();
  const record = (loss: Omit<RestoreLoss, 'at'>) => insertLoss(target, run.id, { ...loss, at });
  for (const list of readSessionLists(target, run.id)) {
    const { uid } = list;
    const name = run.seen.nameOf(uid) ?? uid;
    const told = [...dropped, ...known.filter(({ stored }) => stored)].filter((gap) => gap.uid === uid);
    if (listFault(list, told) !== null) {
      forgetSession(target, list.id);
      target.run('DELETE FROM restore_loss WHERE run = ? AND uid = ?', run.id, uid);
      notes.push(`What terminal ${name} printed is lost: the list of it is damaged.`);
      continue;
    }
    ends.set(uid, list.end);
    const lost = lostRanges(list, sessionFolder(workspace, run.ulid, uid));
    if (lost.length === 0) continue;
    new GapMaker(target, workspace, run, list).make(lost);
    for (const range of lost) record({ uid, ...range, stored: true });
    const ranges = lost.map(({ from, to }) => `${from} to ${to}`).join(', ');
    notes.push(`Of what terminal ${name} printed, these bytes are missing or not as stored: ${ranges}.`);
  }
  for (const { uid, key, end } of run.seen.sessions()) {
    const from = ends.get(uid) ?? 0;
    if (end <= from || known.some((loss) => loss.uid === uid && !loss.stored && loss.to >= end)) continue;
    target.run('DELETE FROM restore_loss WHERE run = ? AND uid = ? AND stored = 0', run.id, uid);
    record({ uid, from, to: end, stored: false });
    notes.push(`Of what terminal ${key} printed, bytes ${from} to ${end} were seen and are not stored.`);
  }
  return notes;
}

function insertLoss(target: Statements, run: number, { uid, from, to, stored, at }: RestoreLoss): void {
  const values = [run, uid, from, to, stored ? 1 : 0, at] as const;
  target.run(
    'INSERT INTO restore_loss (run, uid, from_byte, to_byte, stored, at, sum) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[...values, rowSum(...values)],
  );
}

function forgetSession(target: Statements, log: number): void {
  for (const table of ['session_chunk', 'session_part']) {
    target.run(`DELETE FROM ${table} WHERE log = ?`, log);
  }
  target.run('DELETE FROM session_log WHERE id = ?', log);
}

/** Splits the parts of one session around what is lost: each piece that is whole gets a part file of its own. */
class GapMaker {
  /** Files of no other writer are touched. */
  private readonly writer = newUlid().toLowerCase();
  private readonly folder: string;

  constructor(
    private readonly target: Statements,
    private readonly workspace: string,
    private readonly run: SettledRun,
    private readonly list: SessionList,
  ) {
    this.folder = sessionFolder(workspace, run.ulid, list.uid);
  }

  make(lost: readonly ByteRange[]): void {
    for (const part of allParts(this.list)) {
      const end = part.offset + part.length;
      const own = lost.filter(({ from }) => from >= part.offset && from < end);
      if (own.length === 0) continue;
      this.target.run('DELETE FROM session_part WHERE log = ? AND base = ?', this.list.id, part.offset);
      let at = part.offset;
      for (const range of own) {
        this.keep(part, at, range.from);
        this.putGap(range);
        at = range.to;
      }
      this.keep(part, at, end);
      removeFile(this.folder, basename(partPath(this.folder, part.offset, part.file)));
      if (part.sha === null) this.beginAnew();
    }
  }

  private keep(part: { offset: number; file: string | null }, from: number, to: number): void {
    if (to === from) return;
    const name = `${from}-${this.writer}.log`;
    const sha = this.copy(partPath(this.folder, part.offset, part.file), name, from - part.offset, to - from);
    this.putPart(from, to - from, sha, name);
  }

  private copy(from: string, name: string, position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    const source = openRegularFile(from, from, NOT_READ);
    try {
      for (let read = 0; read < length; ) {
        const count = readSync(source, bytes, read, length - read, position + read);
        if (count === 0) throw new Error(`${from} became shorter while it was read`);
        read += count;
      }
    } finally {
      closeSync(source);
    }
    const path = makeFileIn(this.workspace, 'sessions', this.run.ulid, this.list.uid, name);
    const file = openSync(path, 'r+');
    try {
      for (let written = 0; written < length; ) {
        written += writeSync(file, bytes, written, length - written, written);
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return createHash('sha256').update(bytes).digest();
  }

  private putGap({ from, to }: ByteRange): void {
    const { target, list } = this;
    this.putPart(from, to - from, NO_BYTES, null);
    const inside = 'log = ? AND offset >= ? AND offset < ?';
    const receivedAt =
      target.get<{ at: number }>(
        `SELECT received_at AS at FROM session_chunk WHERE ${inside} ORDER BY offset LIMIT 1`,
        ...[list.id, from, to],
      )?.at ?? 0;
    target.run(`DELETE FROM session_chunk WHERE ${inside}`, list.id, from, to);
    const values = [list.id, from, to - from, receivedAt, null, NO_BYTES] as const;
    target.run(
      'INSERT INTO session_chunk (log, offset, length, received_at, host_at, sha, sum) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[...values, rowSum(...values)],
    );
  }

  private putPart(base: number, length: number, sha: Buffer, file: string | null): void {
    this.target.run(
      'INSERT INTO session_part (log, base, length, sha, file) VALUES (?, ?, ?, ?, ?)',
      ...[this.list.id, base, length, sha, file],
    );
  }

  /** The part that was being written is closed: the next byte begins another. */
  private beginAnew(): void {
    const { target, list, run } = this;
    const log = target.get<{ last: number; epoch: number | null }>(
      'SELECT last_at AS last, epoch FROM session_log WHERE id = ?',
      list.id,
    );
    const epoch = log?.epoch ?? 0;
    target.run(
      'UPDATE session_log SET file = NULL, epoch = ?, sum = ? WHERE id = ?',
      ...[epoch, rowSum(run.id, list.uid, list.end, log?.last ?? 0, null, epoch), list.id],
    );
  }
}
