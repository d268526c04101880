import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { threadId } from 'node:worker_threads';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { WaymarkError } from '@shared/contract/errors';
import { makeFoldersIn, modesIn } from '../../files/private';
import { readRegularFileSync } from '../../files/regular-file';
import { blobPath } from '../../files/workspace-paths';
import { sha256 } from '../log/hashing';
import type { Statements } from './rows';
import { parsedReference } from './stored-json';

/** Above this size a text lives in a file of its own, written and synced before the row that names it. */
const FILE_THRESHOLD = 256 * 1024;

/** A link that somebody put in the place of the new file is not written through. */
const WRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

/** No text or image is larger; what a row says beyond it is not believed. */
const MOST_BYTES = 256 * 1024 ** 2;

const DEFLATED = 1;
const IN_FILE = 2;

interface BlobRow {
  id: number;
  size: number;
  encoding: number;
  data: Buffer | null;
}

/**
 * Content-addressed texts and images. A row names the run that brought it; `blob_share` names other runs that use it too.
 * Compressed with deflate level 1 unless that saves less than 10 %.
 *
 * A file is there before the row that names it and goes after it (`TextRelease`), both judged inside a transaction:
 * neither a row nor its absence says anything about the file, so whoever names a file looks at it.
 */
export class BlobStore {
  constructor(
    private readonly statements: Statements,
    private readonly folder: string,
  ) {}

  /**
   * Compresses a text (or bytes) and, when it is large, makes its file durable. Call before the transaction; `put` then
   * only inserts a row, unless a removal came in between.
   */
  prepare(content: string | Uint8Array): PreparedBlob {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : Buffer.from(content);
    const sha = sha256(bytes);
    const prepared: PreparedBlob = {
      sha,
      hex: sha.toString('hex'),
      size: bytes.length,
      encoding: 0,
      stored: null,
    };
    const found = this.find(sha);
    if (found !== undefined && !isInFile(found.encoding)) {
      return prepared;
    }
    const deflated = deflateRawSync(bytes, { level: 1 });
    // What a row names stays in the form that the row says.
    prepared.encoding = found?.encoding ?? encodingFor(bytes.length, deflated.length);
    prepared.stored = isDeflated(prepared.encoding) ? deflated : bytes;
    this.secure(prepared);
    return prepared;
  }

  /** Inside the transaction: makes sure that the row and its file exist and are known to be used by the run. */
  put(run: number, blob: PreparedBlob, content: string | Uint8Array): void {
    const found = this.find(blob.sha);
    // A removal may have taken row and file away, or another process brought them, since the text was prepared.
    const same =
      blob.stored === null
        ? found !== undefined && !isInFile(found.encoding)
        : found === undefined || found.encoding === blob.encoding;
    const fresh = same ? blob : this.prepare(content);
    this.secure(fresh);
    if (found !== undefined) {
      if (found.run !== run) {
        this.statements.run('INSERT OR IGNORE INTO blob_share (blob, run) VALUES (?, ?)', found.id, run);
      }
      return;
    }
    this.statements.run(
      'INSERT INTO blob (sha, size, encoding, run, data) VALUES (?, ?, ?, ?, ?)',
      fresh.sha,
      fresh.size,
      fresh.encoding,
      run,
      isInFile(fresh.encoding) ? null : fresh.stored,
    );
  }

  /** Writes the file of a large text unless it is there in full. */
  private secure({ hex, encoding, stored }: PreparedBlob): void {
    if (stored === null || !isInFile(encoding)) {
      return;
    }
    const path = blobPath(this.folder, hex);
    if (fileSize(path) !== stored.length) {
      makeFoldersIn(this.folder, 'blobs', hex.slice(0, 2));
      writeDurably(path, stored, modesIn(this.folder).file);
    }
  }

  /**
   * What a stored body refers to: the text of a sha256 in hex, or bytes in base64 (`parsedReference`). Throws
   * `workspace_corrupt` when it is missing or not what its hash says.
   */
  read(reference: string): string {
    const { sha, form } = parsedReference(reference);
    return this.readBytes(sha).toString(form);
  }

  /** Throws as `read`. */
  readBytes(hex: string): Buffer {
    const row = this.statements.get<BlobRow>(
      'SELECT id, size, encoding, data FROM blob WHERE sha = ?',
      Buffer.from(hex, 'hex'),
    );
    if (row === undefined) {
      throw damaged(hex, 'it is missing');
    }
    const bytes = decodeBlob(row, hex, this.folder);
    if (sha256(bytes).toString('hex') !== hex) {
      throw damaged(hex, 'its content does not match its hash');
    }
    return bytes;
  }

  private find(sha: Buffer): { id: number; run: number; encoding: number } | undefined {
    return this.statements.get('SELECT id, run, encoding FROM blob WHERE sha = ?', sha);
  }
}

export interface PreparedBlob {
  sha: Buffer;
  hex: string;
  size: number;
  encoding: number;
  /** What the row or its file holds; null when a row holds the text already. */
  stored: Buffer | null;
}

/** Raw bytes of a blob row. Throws `workspace_corrupt`. */
export function decodeBlob(row: Omit<BlobRow, 'id'>, hex: string, folder: string): Buffer {
  try {
    const bytes = plainBytes(row, hex, folder);
    if (bytes.length === row.size) return bytes;
  } catch (thrown) {
    const gone = thrown instanceof WaymarkError && thrown.code === 'not_found';
    throw damaged(hex, gone ? 'its file is missing' : 'it cannot be read', String(thrown));
  }
  throw damaged(hex, 'its size is not what its row says');
}

/** No more than the row says: a few bytes can be written that inflate to gigabytes. Bytes that were not deflated are their size. */
function plainBytes({ encoding, data, size }: Omit<BlobRow, 'id'>, hex: string, folder: string): Buffer {
  const most = Math.max(0, Math.min(size, MOST_BYTES));
  const stored = isInFile(encoding)
    ? readRegularFileSync(blobPath(folder, hex), `blobs/${hex.slice(0, 2)}/${hex}`, deflateBound(most), '')
    : (data ?? Buffer.alloc(0));
  return isDeflated(encoding) ? inflateRawSync(stored, { maxOutputLength: Math.max(1, most) }) : stored;
}

/** What deflate makes of so many bytes at most, in its worst case. */
function deflateBound(bytes: number): number {
  return bytes + (bytes >>> 10) + 1024;
}

/** Whether a blob row of this encoding keeps its bytes in a file of its own. */
export function isInFile(encoding: number): boolean {
  return encoding >= IN_FILE;
}

function isDeflated(encoding: number): boolean {
  return encoding % IN_FILE === DEFLATED;
}

function encodingFor(size: number, deflatedSize: number): number {
  return (size > FILE_THRESHOLD ? IN_FILE : 0) + (deflatedSize < size * 0.9 ? DEFLATED : 0);
}

/** Bytes of a file; undefined when there is none. */
function fileSize(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** Temporary file, fsync, rename, fsync of the folder: after this the bytes survive a power cut. */
export function writeDurably(path: string, bytes: Uint8Array, mode = 0o600): void {
  const folder = dirname(path);
  const temporary = `${path}.${process.pid}-${threadId}.tmp`;
  const file = openSync(temporary, WRITE, mode);
  try {
    if (mode !== 0o600) fchmodSync(file, mode);
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(file, bytes, written);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  syncFolder(folder);
}

export function syncFolder(folder: string): void {
  if (process.platform === 'win32') {
    return;
  }
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function damaged(hex: string, why: string, detail?: string): WaymarkError {
  return new WaymarkError(
    'workspace_corrupt',
    `A stored text is damaged: ${why}. Run "verify" to see which steps it belongs to.`,
    [`text ${hex}`, ...(detail === undefined ? [] : [detail])].join('\n'),
  );
}
