import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { WaymarkError } from '@shared/errors';
import { sha256 } from './hashing';
import type { Statements } from './rows';

/** Above this size a text lives in a file of its own, written and synced before the row that names it. */
const FILE_THRESHOLD = 256 * 1024;

const DEFLATED = 1;
const IN_FILE = 2;

interface BlobRow {
  id: number;
  size: number;
  encoding: number;
  data: Buffer | null;
}

/**
 * Content-addressed texts. A row names the run that brought it; `blob_share` names other runs that use it too.
 * Compressed with deflate level 1 unless that saves less than 10 %.
 */
export class BlobStore {
  constructor(
    private readonly statements: Statements,
    private readonly folder: string,
  ) {}

  /**
   * Compresses a text and, when it is large, makes its file durable. Call before the transaction; `put` then
   * only inserts a row.
   */
  prepare(text: string): PreparedBlob {
    const bytes = Buffer.from(text, 'utf8');
    const sha = sha256(bytes);
    const prepared: PreparedBlob = {
      sha,
      hex: sha.toString('hex'),
      size: bytes.length,
      encoding: 0,
      data: bytes,
    };
    if (this.find(sha) !== undefined) {
      return { ...prepared, data: null };
    }
    const deflated = deflateRawSync(bytes, { level: 1 });
    if (deflated.length < bytes.length * 0.9) {
      prepared.encoding = DEFLATED;
      prepared.data = deflated;
    }
    if (bytes.length > FILE_THRESHOLD) {
      writeDurably(blobPath(this.folder, prepared.hex), prepared.data ?? bytes);
      prepared.encoding += IN_FILE;
      prepared.data = null;
    }
    return prepared;
  }

  /** Inside the transaction: makes sure the row exists and is known to be used by the run. */
  put(run: number, blob: PreparedBlob, text: string): void {
    const found = this.find(blob.sha);
    if (found !== undefined) {
      if (found.run !== run) {
        this.statements.run('INSERT OR IGNORE INTO blob_share (blob, run) VALUES (?, ?)', found.id, run);
      }
      return;
    }
    const needsData = blob.data === null && blob.encoding < IN_FILE;
    // The row was there when the text was prepared and a removal took it away since.
    const fresh = needsData ? this.prepare(text) : blob;
    this.statements.run(
      'INSERT INTO blob (sha, size, encoding, run, data) VALUES (?, ?, ?, ?, ?)',
      fresh.sha,
      fresh.size,
      fresh.encoding,
      run,
      fresh.data,
    );
  }

  /** The text of a sha256 in hex. Throws `workspace_corrupt` when it is missing or not what its hash says. */
  read(hex: string): string {
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
    return bytes.toString('utf8');
  }

  private find(sha: Buffer): { id: number; run: number } | undefined {
    return this.statements.get('SELECT id, run FROM blob WHERE sha = ?', sha);
  }
}

export interface PreparedBlob {
  sha: Buffer;
  hex: string;
  size: number;
  encoding: number;
  /** Null when the bytes are in a file or the row exists already. */
  data: Buffer | null;
}

/** Raw bytes of a blob row. Throws `workspace_corrupt`. */
export function decodeBlob(row: Omit<BlobRow, 'id'>, hex: string, folder: string): Buffer {
  try {
    const stored =
      row.encoding >= IN_FILE ? readFileSync(blobPath(folder, hex)) : (row.data ?? Buffer.alloc(0));
    return row.encoding % IN_FILE === DEFLATED ? inflateRawSync(stored) : stored;
  } catch (thrown) {
    throw damaged(hex, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Whether a blob row of this encoding keeps its bytes in a file of its own. */
export function isInFile(encoding: number): boolean {
  return encoding >= IN_FILE;
}

export function blobPath(folder: string, hex: string): string {
  return join(folder, 'blobs', hex.slice(0, 2), hex);
}

export function deleteBlobFile(folder: string, hex: string): void {
  rmSync(blobPath(folder, hex), { force: true });
}

/** Temporary file, fsync, rename, fsync of the folder: after this the bytes survive a power cut. */
export function writeDurably(path: string, bytes: Uint8Array): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  const file = openSync(temporary, 'w');
  try {
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

function damaged(hex: string, why: string): WaymarkError {
  return new WaymarkError(
    'workspace_corrupt',
    `A stored text is damaged: ${why}. Run "verify" to see which steps it belongs to.`,
    `blob ${hex}`,
  );
}
