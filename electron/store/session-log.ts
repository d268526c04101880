import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/errors';
import type { SessionChunk } from './api';
import { syncFolder } from './blob-store';
import { rowSum } from './hashing';
import type { Statements } from './rows';

/** A part file is sealed with its hash when it reaches this size; the last chunk is never split. */
export const PART_BYTES = 16 * 1024 * 1024;
/** Chunks received within this time share a row, ms. */
const COALESCE_MS = 100;

interface OpenSession {
  log: number;
  end: number;
  /** When its last bytes were received, our clock, ms. */
  lastAt: number;
  base: number;
  file: number;
  /** Over the part so far; null after a restart, until the part is sealed from its file. */
  part: Hash | null;
  /** The row that may still grow. */
  row: { offset: number; length: number; receivedAt: number; hash: Hash } | null;
}

/** In place of a hash: these bytes were dropped on their host and are nowhere. */
export const NO_BYTES = Buffer.alloc(0);

/** Everything a gap leaves to be written in the transaction. */
export interface PendingGap {
  log: number;
  run: number;
  uid: string;
  at: number;
  from: number;
  to: number;
  sealed: { base: number; length: number; sha: Buffer } | null;
}

/** Everything a chunk leaves to be written in the transaction. */
export interface PendingChunk {
  log: number;
  run: number;
  uid: string;
  end: number;
  receivedAt: number;
  row: { offset: number; length: number; receivedAt: number; hostAt: number | null; sha: Buffer };
  sealed: { base: number; length: number; sha: Buffer } | null;
}

/** Names that may become a folder. */
export function sessionFolder(workspace: string, run: string, uid: string): string {
  if (!/^[\w.-]{1,100}$/.test(uid) || /^\.+$/.test(uid)) {
    throw new WaymarkError('bad_input', 'This session id cannot be used as a folder name.', uid);
  }
  return join(workspace, 'sessions', run, uid);
}

export function partPath(folder: string, base: number): string {
  return join(folder, `${base}.log`);
}

/** Byte logs of sessions: bytes are synced to append-only part files before the rows that name them. */
export class SessionLog {
  private readonly open = new Map<string, OpenSession>();
  private readonly dirty = new Set<OpenSession>();
  /** Keys of sessions whose latest chunks have no committed row yet. */
  private readonly uncommitted = new Set<string>();

  constructor(
    private readonly statements: Statements,
    private readonly workspace: string,
  ) {}

  /**
   * Writes a chunk's new bytes to its part file, before the transaction. Null when all are there already;
   * `conflict` when the chunk would leave a gap. `sync` must be called before COMMIT.
   */
  write(run: string, runId: number, uid: string, chunk: SessionChunk): PendingChunk | null {
    const session = this.session(run, runId, uid);
    if (chunk.offset > session.end) {
      throw new WaymarkError(
        'conflict',
        `Session ${uid} is stored up to byte ${session.end}; a chunk at byte ${chunk.offset} would leave a gap.`,
      );
    }
    const bytes = chunk.bytes.subarray(session.end - chunk.offset);
    if (bytes.length === 0) {
      return null;
    }
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(
        session.file,
        bytes,
        written,
        bytes.length - written,
        session.end - session.base + written,
      );
    }
    this.dirty.add(session);
    this.uncommitted.add(`${run}/${uid}`);
    session.part?.update(bytes);
    const pending = this.grow(session, chunk, bytes);
    session.end += bytes.length;
    return { ...pending, run: runId, uid, end: session.end, sealed: this.seal(session, run, uid) };
  }

  /**
   * Passes over bytes that are nowhere any more, before the transaction: the part so far is sealed and the next one
   * begins behind the gap. `conflict` when it does not begin where the stored bytes end.
   */
  passOver(run: string, runId: number, uid: string, gap: { from: number; to: number }): PendingGap {
    const session = this.session(run, runId, uid);
    if (gap.from !== session.end || gap.to <= gap.from) {
      throw new WaymarkError(
        'conflict',
        `Session ${uid} is stored up to byte ${session.end}; bytes ${gap.from} to ${gap.to} cannot be missing there.`,
      );
    }
    const { from } = gap;
    this.uncommitted.add(`${run}/${uid}`);
    const sealed = from > session.base ? this.sealNow(session, run, uid) : null;
    session.end = gap.to;
    this.beginPart(session, run, uid);
    return { log: session.log, run: runId, uid, at: session.lastAt, from, to: gap.to, sealed };
  }

  storeGap({ log, run, uid, at, from, to, sealed }: PendingGap): void {
    const length = to - from;
    if (sealed !== null) {
      this.storePart(log, sealed);
    }
    this.storePart(log, { base: from, length, sha: NO_BYTES });
    this.statements.run(
      'INSERT INTO session_chunk (log, offset, length, received_at, host_at, sha, sum) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[log, from, length, at, null, NO_BYTES, rowSum(log, from, length, at, null, NO_BYTES)],
    );
    this.storeEnd(log, run, uid, to, at);
  }

  /** Makes all bytes written so far durable. */
  sync(): void {
    for (const { file } of this.dirty) {
      fdatasyncSync(file);
    }
    this.dirty.clear();
  }

  store(chunk: PendingChunk): void {
    const { row, sealed } = chunk;
    this.statements.run(
      `INSERT INTO session_chunk (log, offset, length, received_at, host_at, sha, sum) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (log, offset) DO UPDATE SET
         length = excluded.length, host_at = excluded.host_at, sha = excluded.sha, sum = excluded.sum`,
      chunk.log,
      row.offset,
      row.length,
      row.receivedAt,
      row.hostAt,
      row.sha,
      rowSum(chunk.log, row.offset, row.length, row.receivedAt, row.hostAt, row.sha),
    );
    if (sealed !== null) {
      this.storePart(chunk.log, sealed);
    }
    this.storeEnd(chunk.log, chunk.run, chunk.uid, chunk.end, chunk.receivedAt);
  }

  private storePart(log: number, { base, length, sha }: { base: number; length: number; sha: Buffer }): void {
    this.statements.run(
      'INSERT INTO session_part (log, base, length, sha) VALUES (?, ?, ?, ?)',
      log,
      base,
      length,
      sha,
    );
  }

  private storeEnd(log: number, run: number, uid: string, end: number, at: number): void {
    this.statements.run(
      'UPDATE session_log SET end_offset = ?, last_at = ?, sum = ? WHERE id = ?',
      end,
      at,
      rowSum(run, uid, end, at),
      log,
    );
  }

  committed(): void {
    this.uncommitted.clear();
  }

  /** What is in memory is ahead of the rows: look at the rows again before the next chunk. */
  rolledBack(): void {
    this.closeWhere((key) => this.uncommitted.has(key));
    this.uncommitted.clear();
  }

  forgetRun(run: string): void {
    this.closeWhere((key) => key.startsWith(`${run}/`));
  }

  close(): void {
    this.closeWhere(() => true);
  }

  private closeWhere(matches: (key: string) => boolean): void {
    for (const [key, session] of this.open) {
      if (matches(key)) {
        this.dirty.delete(session);
        closeSync(session.file);
        this.open.delete(key);
      }
    }
  }

  private session(run: string, runId: number, uid: string): OpenSession {
    const key = `${run}/${uid}`;
    const known = this.open.get(key);
    if (known !== undefined) {
      return known;
    }
    const folder = sessionFolder(this.workspace, run, uid);
    this.statements.run(
      'INSERT OR IGNORE INTO session_log (run, uid, end_offset, last_at, sum) VALUES (?, ?, 0, 0, ?)',
      runId,
      uid,
      rowSum(runId, uid, 0, 0),
    );
    const row = this.statements.get<{ id: number; end_offset: number; last_at: number }>(
      'SELECT id, end_offset, last_at FROM session_log WHERE run = ? AND uid = ?',
      runId,
      uid,
    ) ?? { id: 0, end_offset: 0, last_at: 0 };
    const sealed = this.statements.get<{ base: number }>(
      'SELECT coalesce(max(base + length), 0) AS base FROM session_part WHERE log = ?',
      row.id,
    ) ?? { base: 0 };
    mkdirSync(folder, { recursive: true });
    const session: OpenSession = {
      log: row.id,
      end: row.end_offset,
      lastAt: row.last_at,
      base: sealed.base,
      file: openPart(folder, sealed.base),
      part: row.end_offset === sealed.base ? createHash('sha256') : null,
      row: null,
    };
    // Bytes that were written but never acknowledged come again; they must not be counted twice.
    ftruncateSync(session.file, session.end - session.base);
    this.open.set(key, session);
    return session;
  }

  private grow(
    session: OpenSession,
    chunk: SessionChunk,
    bytes: Uint8Array,
  ): Omit<PendingChunk, 'run' | 'uid' | 'end' | 'sealed'> {
    const receivedAt = Math.round(chunk.receivedAt);
    session.lastAt = receivedAt;
    const last = session.row;
    const row =
      last !== null && receivedAt - last.receivedAt < COALESCE_MS && receivedAt >= last.receivedAt
        ? last
        : { offset: session.end, length: 0, receivedAt, hash: createHash('sha256') };
    row.length += bytes.length;
    row.hash.update(bytes);
    session.row = row;
    const hostAt = chunk.hostAt === null ? null : Math.round(chunk.hostAt);
    return {
      log: session.log,
      receivedAt,
      row: {
        offset: row.offset,
        length: row.length,
        receivedAt: row.receivedAt,
        hostAt,
        sha: row.hash.copy().digest(),
      },
    };
  }

  private seal(session: OpenSession, run: string, uid: string): PendingChunk['sealed'] {
    if (session.end - session.base < PART_BYTES) {
      return null;
    }
    const sealed = this.sealNow(session, run, uid);
    this.beginPart(session, run, uid);
    return sealed;
  }

  private sealNow(
    session: OpenSession,
    run: string,
    uid: string,
  ): { base: number; length: number; sha: Buffer } {
    const folder = sessionFolder(this.workspace, run, uid);
    const hash = session.part ?? createHash('sha256').update(readFileSync(partPath(folder, session.base)));
    fdatasyncSync(session.file);
    return { base: session.base, length: session.end - session.base, sha: hash.digest() };
  }

  private beginPart(session: OpenSession, run: string, uid: string): void {
    closeSync(session.file);
    this.dirty.delete(session);
    session.base = session.end;
    session.file = openPart(sessionFolder(this.workspace, run, uid), session.end);
    session.part = createHash('sha256');
    session.row = null;
  }
}

function openPart(folder: string, base: number): number {
  const path = partPath(folder, base);
  try {
    return openSync(path, 'r+');
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) {
      throw thrown;
    }
    const file = openSync(path, 'w+');
    syncFolder(folder);
    return file;
  }
}
