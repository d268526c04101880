import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { WaymarkError } from '@shared/contract/errors';
import type { RecordEncoder } from './encoders/encoder';
import type { Packer } from './encoders/packer';
import { jsonLine } from './json-line';

/** Bytes gathered before a write. */
const chunkBytes = 1 << 20;
/** Bytes read at a time while a prefix is checked. */
const readBytes = 4 << 20;

/** Where records of one variant and side go. */
export interface RecordSink {
  /** Records so far. */
  readonly records: number;
  /** Bytes so far, those on their way included. */
  readonly bytes: number;
  /** Resolves when there is room for more; a failed write is thrown by the next call. `name`: of a document. */
  add(value: Readonly<Record<string, unknown>>, name?: string): Promise<void> | void;
  /** Everything so far is written, and on the disk after `sync`. What is returned is data that a structured clone keeps. */
  border(): Promise<unknown>;
  /** What was written is on the disk; more may be added meanwhile. */
  sync(): Promise<void>;
  end(): Promise<WrittenDataFile[]>;
  /** Lets go of it, whatever became of it. */
  close(): Promise<void>;
}

/** What a data file has come to at a border, and what makes it go on from there. */
export interface SavedFile {
  path: string;
  bytes: number;
  /** Of those bytes. */
  sha256: string;
  records: number;
  encoder: unknown;
  packer: unknown;
}

export interface WrittenDataFile {
  path: string;
  bytes: number;
  sha256: string;
  records: number;
}

/**
 * One data file while it is written: records become text or pages, these are packed, hashed and written, in constant memory. What is
 * on the disk up to a border can be gone on with, even by another process.
 */
export class DataFile implements RecordSink {
  records = 0;
  private hash: Hash = createHash('sha256');
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  /** The write that is under way: the next records are made meanwhile. */
  private writing: Promise<void> = Promise.resolve();
  private failed: unknown = null;
  private size = 0;

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
    private readonly encoder: RecordEncoder,
    private readonly packer: Packer,
  ) {}

  /** A new file. `place`: absolute path; its folder is there. */
  static async begin(path: string, place: string, encoder: RecordEncoder, packer: Packer): Promise<DataFile> {
    return new DataFile(path, await open(place, 'wx'), encoder, packer);
  }

  /**
   * Goes on behind what was saved: whatever came later is cut off, and what stays is compared with its hash. Null when it is
   * not the same: the file is to be begun anew.
   */
  static async goOn(
    saved: SavedFile,
    place: string,
    encoder: RecordEncoder,
    packer: Packer,
  ): Promise<DataFile | null> {
    const handle = await open(place, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (handle === null) return null;
    try {
      const hash = await prefixHash(handle, saved.bytes);
      if (hash?.copy().digest('hex') !== saved.sha256) {
        await handle.close();
        return null;
      }
      await handle.truncate(saved.bytes);
      const file = new DataFile(saved.path, handle, encoder, packer);
      encoder.restore(saved.encoder);
      packer.restore(saved.packer);
      file.hash = hash;
      file.size = saved.bytes;
      file.records = saved.records;
      return file;
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
  }

  get bytes(): number {
    return this.size;
  }

  add(value: Readonly<Record<string, unknown>>): Promise<void> | void {
    this.records += 1;
    this.pack(this.encoder.add(value));
    if (this.waitingBytes >= chunkBytes) return this.flush();
  }

  async border(): Promise<SavedFile> {
    this.pack(this.encoder.border());
    await this.drain();
    return {
      path: this.path,
      bytes: this.size,
      sha256: this.hash.copy().digest('hex'),
      records: this.records,
      encoder: this.encoder.save(),
      packer: this.packer.save(),
    };
  }

  async sync(): Promise<void> {
    await this.handle.datasync();
  }

  async end(): Promise<WrittenDataFile[]> {
    this.pack(this.encoder.end());
    this.put(this.packer.end());
    await this.drain();
    await this.handle.sync();
    await this.handle.close();
    const { path, records, size } = this;
    return [{ path, bytes: size, sha256: this.hash.digest('hex'), records }];
  }

  async close(): Promise<void> {
    await this.writing.catch(() => undefined);
    await this.handle.close();
  }

  private pack(pieces: Buffer[]): void {
    for (const piece of pieces) this.put(this.packer.push(piece));
  }

  private put(pieces: Buffer[]): void {
    for (const piece of pieces) {
      this.size += piece.length;
      this.waiting.push(piece);
      this.waitingBytes += piece.length;
    }
  }

  private async flush(): Promise<void> {
    await this.writing;
    if (this.failed !== null) throw this.failed;
    const [only] = this.waiting;
    if (only === undefined) return;
    const chunk = this.waiting.length === 1 ? only : Buffer.concat(this.waiting, this.waitingBytes);
    this.waiting = [];
    this.waitingBytes = 0;
    this.writing = this.handle.writeFile(chunk).catch((thrown: unknown) => {
      this.failed = thrown;
    });
    // Meanwhile; a call of its own for each of its many pieces would cost more than the hashing.
    this.hash.update(chunk);
  }

  private async drain(): Promise<void> {
    await this.flush();
    await this.writing;
    if (this.failed !== null) throw this.failed;
  }
}

/** sha256 over the first bytes of a file, to go on with; null when it is shorter. The position is behind them afterwards. */
async function prefixHash(handle: FileHandle, bytes: number): Promise<Hash | null> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(readBytes, bytes)));
  let left = bytes;
  while (left > 0) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, left), null);
    if (bytesRead === 0) return null;
    hash.update(buffer.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return hash;
}

/** A file of its own for each record, below one folder. Of each only name, length and hash are remembered. */
export class Documents implements RecordSink {
  bytes = 0;
  private readonly written: WrittenDataFile[];
  private readonly names: Set<string>;

  /** @param folder relative to the dataset @param place absolute path of a file of the dataset; its folder is made */
  constructor(
    private readonly folder: string,
    private readonly place: (path: string) => Promise<string>,
    saved: readonly WrittenDataFile[] = [],
  ) {
    this.written = [...saved];
    this.names = new Set(saved.map(({ path }) => path));
    for (const { bytes } of saved) this.bytes += bytes;
  }

  get records(): number {
    return this.written.length;
  }

  /** @throws WaymarkError bug for a name that is none, or comes twice */
  async add(value: Readonly<Record<string, unknown>>, name = `${this.records + 1}.json`): Promise<void> {
    const path = `${this.folder}/${documentName(name)}`;
    if (this.names.has(path)) throw new WaymarkError('bug', `Two records of a dataset are called ${path}.`);
    this.names.add(path);
    const bytes = Buffer.from(`${jsonLine(value)}\n`);
    // What a killed process wrote behind its last border is replaced.
    const handle = await open(await this.place(path), 'w');
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    this.bytes += bytes.length;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.written.push({ path, bytes: bytes.length, sha256, records: 1 });
  }

  async border(): Promise<WrittenDataFile[]> {
    return this.written;
  }

  async sync(): Promise<void> {
    // Each document was, when it was written.
  }

  async end(): Promise<WrittenDataFile[]> {
    return this.written;
  }

  async close(): Promise<void> {
    // Each document was closed when it was written.
  }
}

/** Whether a file holds these bytes. */
export async function holds(place: string, { bytes, sha256 }: WrittenDataFile): Promise<boolean> {
  const handle = await open(place, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return false;
  try {
    return (
      (await handle.stat()).size === bytes && (await prefixHash(handle, bytes))?.digest('hex') === sha256
    );
  } finally {
    await handle.close();
  }
}

/** Name of a document's file below its variant's folder: plain, and no two alike. @throws WaymarkError bug */
export function documentName(name: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,180}\.json$/.test(name)) return name;
  throw new WaymarkError(
    'bug',
    `${JSON.stringify(name.slice(0, 80))} is not a valid file name for a document of a dataset.`,
  );
}
