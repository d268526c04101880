import { createHash, type Hash } from 'node:crypto';
import { WaymarkError } from '@shared/contract/errors';
import { newUlid } from '../../base/new-ulid';
import { sessionFolder } from '../../files/workspace-paths';
import type { Statements } from '../file/rows';
import { StalePreparation } from '../log/group-commit';
import { rowSum } from '../log/hashing';
import type { StoredChunk } from '../values';
import { hashPart, PartFile, partPath } from './part-file';
import { readStoredSession, refuseReplaced, type StoredSession } from './stored-session';

/** A part file is sealed with its hash when it reaches this size; the last chunk is never split. */
export const PART_BYTES = 16 * 1024 * 1024;
/** Chunks received within this time share a row, ms. */
const COALESCE_MS = 100;
/** Part files that are kept open; those of the sessions that printed last. */
const MAX_OPEN = 32;

export interface SessionLogOptions {
  workspace: string;
  partBytes?: number | undefined;
}

/** In place of a hash: these bytes were dropped on their host and are nowhere. */
export const NO_BYTES = Buffer.alloc(0);

interface SealedPart {
  base: number;
  length: number;
  sha: Buffer;
  file: string | null;
}

/** What one job changes about a session: from one state of its row to the next. */
interface Change {
  session: OpenSession;
  epoch: number;
  before: Mark;
  after: Mark;
  sealed: SealedPart[];
}

/** Everything a chunk leaves to be written in the transaction; `row` is null when all its bytes were written before. */
export interface PendingChunk extends Change {
  end: number;
  row: { offset: number; length: number; receivedAt: number; hostAt: number | null; sha: Buffer } | null;
}

/** Everything a gap leaves to be written in the transaction. */
export interface PendingGap extends Change {
  from: number;
  to: number;
}

/** The part of a session's row that every change moves. */
type Mark = Pick<StoredSession, 'end' | 'base' | 'file' | 'lastAt'>;

interface OpenSession {
  key: string;
  run: string;
  uid: string;
  folder: string;
  /** The row as this process saw it last. What is in memory holds as long as the row is still this one. */
  stored: Mark;
  /** The row as it will be once everything that was prepared is committed. */
  next: Mark;
  /** The part that is being written; null when the next chunk opens one. */
  part: PartFile | null;
  /** The row that may still grow. */
  growing: { offset: number; length: number; receivedAt: number; hash: Hash } | null;
  /** Changes that were prepared and neither committed nor abandoned. */
  pending: number;
  /** Something that was prepared came to nothing: what followed it must be prepared again. */
  over: boolean;
}

/**
 * Byte logs of sessions: bytes are synced to append-only part files before the rows that name them. A change is
 * prepared outside the transaction, holds only for the row it was prepared from, and is stored or abandoned.
 */
export class SessionLog {
  /** In the order they were used last. */
  private readonly open = new Map<string, OpenSession>();
  private readonly dirty = new Set<OpenSession>();
  /** Part files with this name are ours: two writers never share a file. */
  private readonly writer = newUlid().toLowerCase();
  private readonly partBytes: number;

  constructor(
    private readonly statements: Statements,
    private readonly options: SessionLogOptions,
  ) {
    this.partBytes = options.partBytes ?? PART_BYTES;
  }

  /**
   * Writes a chunk's new bytes to a part file, before the transaction. `sync` must be called before COMMIT. Throws
   * `conflict` when the chunk would leave a gap, `run_driven_elsewhere` when a newer driver is known.
   */
  write(run: string, epoch: number, uid: string, chunk: StoredChunk): PendingChunk {
    const session = this.current(run, epoch, uid);
    const before = session.next;
    if (chunk.offset > before.end) {
      throw new WaymarkError(
        'conflict',
        `Session ${uid} is stored up to byte ${before.end}; a chunk at byte ${chunk.offset} would leave a gap.`,
      );
    }
    const bytes = chunk.bytes.subarray(before.end - chunk.offset);
    const change = { session, epoch, before, after: before, sealed: [], end: before.end, row: null };
    return this.prepared(session, () => (bytes.length === 0 ? change : this.append(change, chunk, bytes)));
  }

  /**
   * Passes over bytes that are nowhere any more, before the transaction: the part so far is sealed and the next one
   * begins behind the gap. `conflict` when it does not begin where the stored bytes end.
   */
  passOver(run: string, epoch: number, uid: string, gap: { from: number; to: number }): PendingGap {
    const session = this.current(run, epoch, uid);
    const before = session.next;
    const { from, to } = gap;
    if (from !== before.end || to <= from) {
      throw new WaymarkError(
        'conflict',
        `Session ${uid} is stored up to byte ${before.end}; bytes ${from} to ${to} cannot be missing there.`,
      );
    }
    const after = { ...before, end: to, base: to, file: null };
    const change = { session, epoch, before, after, from, to };
    return this.prepared(session, () => ({ ...change, sealed: this.seal(session) }));
  }

  /** Makes all bytes written so far durable. */
  sync(): void {
    try {
      for (const { part } of this.dirty) {
        part?.sync();
      }
    } catch (thrown) {
      // The system may have dropped any of these bytes: all of them are written again.
      for (const session of this.dirty) {
        this.forget(session);
      }
      throw thrown;
    }
    this.dirty.clear();
  }

  /** Inside the transaction. @throws StalePreparation when the row is not the one it was prepared from */
  store(chunk: PendingChunk): void {
    const log = this.advance(chunk);
    const { row } = chunk;
    if (row !== null) {
      this.storeChunk(log, row);
    }
  }

  /** Inside the transaction. @throws StalePreparation when the row is not the one it was prepared from */
  storeGap(gap: PendingGap): void {
    const { from, to } = gap;
    const length = to - from;
    const log = this.advance(gap);
    this.storePart(log, { base: from, length, sha: NO_BYTES, file: null });
    this.storeChunk(log, { offset: from, length, receivedAt: gap.after.lastAt, hostAt: null, sha: NO_BYTES });
  }

  /** After COMMIT. */
  committed({ session, after }: Change): void {
    session.stored = after;
    session.pending -= 1;
    this.closeIdle();
  }

  /** What was prepared will not be stored; what was prepared on top of it is stale. */
  abandon({ session }: Change): void {
    session.pending -= 1;
    this.forget(session);
  }

  forgetRun(run: string): void {
    for (const session of [...this.open.values()].filter((each) => each.run === run)) {
      this.forget(session);
    }
  }

  close(): void {
    for (const session of [...this.open.values()]) {
      this.forget(session);
    }
  }

  /** The session as it is in memory when that still holds, else as it is stored. */
  private current(run: string, epoch: number, uid: string): OpenSession {
    const key = `${run}/${uid}`;
    const stored = readStoredSession(this.statements, run, uid);
    refuseReplaced(stored, run, epoch);
    const known = this.open.get(key);
    if (known !== undefined && isSame(known.stored, stored)) {
      this.open.delete(key);
      this.open.set(key, known);
      return known;
    }
    if (known !== undefined) {
      this.forget(known);
    }
    const { end, base, file, lastAt } = stored;
    const mark = { end, base, file, lastAt };
    const session = {
      key,
      run,
      uid,
      folder: sessionFolder(this.options.workspace, run, uid),
      stored: mark,
      next: mark,
      part: null,
      growing: null,
      pending: 0,
      over: false,
    };
    this.open.set(key, session);
    return session;
  }

  /** Counts a change as pending once it is prepared whole; one that fails leaves nothing in memory. */
  private prepared<T extends Change>(session: OpenSession, prepare: () => T): T {
    try {
      const change = prepare();
      session.next = change.after;
      session.pending += 1;
      this.closeIdle();
      return change;
    } catch (thrown) {
      this.forget(session);
      throw thrown;
    }
  }

  private append(change: PendingChunk, chunk: StoredChunk, bytes: Uint8Array): PendingChunk {
    const { session, before } = change;
    const { part, base, sealed } = this.partFor(session);
    this.dirty.add(session);
    part.write(before.end - base, bytes);
    const end = before.end + bytes.length;
    const row = grow(session, chunk, bytes);
    session.next = { end, base, file: part.name, lastAt: Math.round(chunk.receivedAt) };
    if (end - base < this.partBytes) {
      return { ...change, after: session.next, sealed, end, row };
    }
    const after = { ...session.next, base: end, file: null };
    return { ...change, after, sealed: [...sealed, ...this.seal(session)], end, row };
  }

  /** The part that takes the next bytes; what another writer left is sealed where its stored bytes end. */
  private partFor(session: OpenSession): { part: PartFile; base: number; sealed: SealedPart[] } {
    const { end, base, file } = session.next;
    if (session.part !== null) {
      return { part: session.part, base, sealed: [] };
    }
    const { folder } = session;
    const isOurs = file?.endsWith(`-${this.writer}.log`) === true;
    if (isOurs || end === base || this.isPurged(session)) {
      const name = isOurs ? file : this.nameFor(base);
      session.part = PartFile.open(folder, name, end - base);
      return { part: session.part, base, sealed: [] };
    }
    const part = PartFile.open(folder, this.nameFor(end), 0);
    session.part = part;
    session.growing = null;
    const length = end - base;
    return {
      part,
      base: end,
      sealed: [{ base, length, sha: hashPart(partPath(folder, base, file), length), file }],
    };
  }

  private nameFor(base: number): string {
    return `${base}-${this.writer}.log`;
  }

  /** A purge keeps how many bytes there were, and none of them. */
  private isPurged({ run, uid }: OpenSession): boolean {
    return (
      this.statements.get(
        `SELECT 1 FROM session_log l JOIN run r ON r.id = l.run JOIN session_chunk c ON c.log = l.id
         WHERE r.ulid = ? AND l.uid = ? LIMIT 1`,
        run,
        uid,
      ) === undefined
    );
  }

  /** Seals what the current part holds and closes it; the next chunk opens the next one before it changes anything. */
  private seal(session: OpenSession): SealedPart[] {
    const { end, base, file } = session.next;
    const { part, folder } = session;
    const length = end - base;
    if (length === 0) {
      return [];
    }
    const sha = part?.digest(length) ?? hashPart(partPath(folder, base, file), length);
    part?.sync();
    this.closePart(session);
    session.growing = null;
    return [{ base, length, sha, file }];
  }

  private advance({ session, epoch, before, after, sealed }: Change): number {
    const { run, uid } = session;
    const stored = readStoredSession(this.statements, run, uid);
    refuseReplaced(stored, run, epoch);
    if (session.over || !isSame(stored, before)) {
      throw new StalePreparation(
        'conflict',
        `The output of session ${uid} was changed by another process at the same time. It is read again from where it ends.`,
      );
    }
    const { end, lastAt, file } = after;
    const sum = rowSum(stored.run, uid, end, lastAt, file, epoch);
    const { id } = this.statements.get<{ id: number }>(
      `INSERT INTO session_log (run, uid, end_offset, last_at, file, epoch, sum) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (run, uid) DO UPDATE SET end_offset = excluded.end_offset, last_at = excluded.last_at,
         file = excluded.file, epoch = excluded.epoch, sum = excluded.sum
       RETURNING id`,
      ...[stored.run, uid, end, lastAt, file, epoch, sum],
    ) ?? { id: 0 };
    for (const part of sealed) {
      this.storePart(id, part);
    }
    return id;
  }

  private storeChunk(log: number, row: NonNullable<PendingChunk['row']>): void {
    const { offset, length, receivedAt, hostAt, sha } = row;
    this.statements.run(
      `INSERT INTO session_chunk (log, offset, length, received_at, host_at, sha, sum) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (log, offset) DO UPDATE SET
         length = excluded.length, host_at = excluded.host_at, sha = excluded.sha, sum = excluded.sum`,
      ...[log, offset, length, receivedAt, hostAt, sha, rowSum(log, offset, length, receivedAt, hostAt, sha)],
    );
  }

  private storePart(log: number, { base, length, sha, file }: SealedPart): void {
    this.statements.run(
      'INSERT INTO session_part (log, base, length, sha, file) VALUES (?, ?, ?, ?, ?)',
      ...[log, base, length, sha, file],
    );
  }

  /** Everything about a session that is only in memory goes; its row says where it is. */
  private forget(session: OpenSession): void {
    session.over = true;
    this.closePart(session);
    if (this.open.get(session.key) === session) {
      this.open.delete(session.key);
    }
  }

  private closePart(session: OpenSession): void {
    const { part } = session;
    session.part = null;
    this.dirty.delete(session);
    part?.close();
  }

  /** Sessions without anything pending are as their rows say, so the file can be opened again when they print. */
  private closeIdle(): void {
    for (const session of this.open.values()) {
      if (this.open.size <= MAX_OPEN) {
        return;
      }
      if (session.pending === 0) {
        this.forget(session);
      }
    }
  }
}

function isSame(one: Mark, other: Mark): boolean {
  return one.end === other.end && one.base === other.base && one.file === other.file;
}

function grow(session: OpenSession, chunk: StoredChunk, bytes: Uint8Array): NonNullable<PendingChunk['row']> {
  const receivedAt = Math.round(chunk.receivedAt);
  const last = session.growing;
  const row =
    last !== null && receivedAt - last.receivedAt < COALESCE_MS && receivedAt >= last.receivedAt
      ? last
      : { offset: session.next.end, length: 0, receivedAt, hash: createHash('sha256') };
  row.length += bytes.length;
  row.hash.update(bytes);
  session.growing = row;
  const hostAt = chunk.hostAt === null ? null : Math.round(chunk.hostAt);
  const { offset, length } = row;
  return { offset, length, receivedAt: row.receivedAt, hostAt, sha: row.hash.copy().digest() };
}
