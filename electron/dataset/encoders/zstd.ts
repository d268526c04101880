import type { Packer } from './packer';

/** Level of zstd's own command. */
const level = 3;
/** Bytes given to the library at once. */
const pieceBytes = 1 << 20;
const pageBytes = 1 << 16;
/** Variants times sides times parts of a dataset, and some. */
const mostStreams = 32;

/**
 * What is used of @hpcc-js/wasm-zstd 1.12.5 beside its class: that has one stream, and a dataset has a file for each variant; and it
 * copies what it answers byte by byte through a list.
 */
interface Library {
  _mainModule: { _module: { HEAPU8: Uint8Array; _malloc(bytes: number): number; _free(at: number): void } };
  _zstdClass: (new () => Stream) & {
    compressBound(bytes: number): number;
    compress(to: number, room: number, from: number, bytes: number, level: number): number;
    CStreamOutSize(): number;
    isError(size: number): number;
    getErrorName(size: number): string;
  };
  /** Its one stream, which `unload` deletes. */
  _zstd: { delete(): void };
  /** An export packs with it. */
  taken?: boolean;
}

interface Stream {
  reset(): void;
  setCompressionLevel(level: number): void;
  compressChunk(to: number, room: number, from: number, bytes: number): number;
  compressEnd(to: number, room: number): number;
}

/** The memory of the library: all that its streams know. Pages of zeros are left out. */
export interface SavedMemory {
  bytes: number;
  pages: { at: number; data: Uint8Array }[];
}

/**
 * Streams of zstd, each one frame: some readers stop at the second. A frame cannot be gone on with from outside, so what is saved
 * is the memory of the library. Packers are made in the same order before `restore` as before `save`.
 */
export class ZstdStreams {
  private readonly from: number;
  private readonly to: number;
  private readonly room: number;
  /** All are made before anything is packed: then each has the same place in every library. */
  private readonly free: Stream[] = [];

  private constructor(
    private readonly library: Library,
    /** Never used; held so that its place in the memory stays taken, as in every other library. */
    readonly unused: Library['_zstd'],
  ) {
    this.room = library._zstdClass.compressBound(pieceBytes) + library._zstdClass.CStreamOutSize();
    this.from = this.module._malloc(pieceBytes);
    this.to = this.module._malloc(this.room);
    for (let count = 0; count < mostStreams; count += 1) {
      const stream = new library._zstdClass();
      stream.reset();
      stream.setCompressionLevel(level);
      this.free.push(stream);
    }
  }

  /** A library of its own: what another export of this process packs is not in its memory. */
  static async load(): Promise<ZstdStreams> {
    const { Zstd } = await import('@hpcc-js/wasm-zstd');
    for (;;) {
      const library = (await Zstd.load()) as unknown as Library;
      if (library.taken !== true) {
        const unused = library._zstd;
        Object.assign(library, { taken: true, _zstd: { delete: () => undefined } });
        return new ZstdStreams(library, unused);
      }
      await Zstd.unload();
    }
  }

  /** A whole frame at once, as pages of Parquet have it. */
  compress(data: Uint8Array): Uint8Array {
    const { compressBound, compress } = this.library._zstdClass;
    const room = compressBound(data.length);
    const from = this.module._malloc(data.length);
    const to = this.module._malloc(room);
    this.module.HEAPU8.set(data, from);
    const size = this.checked(compress(to, room, from, data.length, level));
    const packed = this.module.HEAPU8.slice(to, to + size);
    this.module._free(to);
    this.module._free(from);
    return packed;
  }

  packer(): Packer {
    const stream = this.free.shift();
    if (stream === undefined) throw new Error(`zstd: there are no more than ${mostStreams} streams`);
    return {
      push: (bytes) => this.push(stream, bytes),
      // Of all streams together, in `save` of the streams.
      save: () => null,
      restore: () => undefined,
      end: () => [this.taken(stream.compressEnd(this.to, this.room))],
    };
  }

  save(): SavedMemory {
    const heap = this.module.HEAPU8;
    const zeros = Buffer.alloc(pageBytes);
    const pages: SavedMemory['pages'] = [];
    for (let at = 0; at < heap.length; at += pageBytes) {
      const page = heap.subarray(at, at + pageBytes);
      if (zeros.compare(page) !== 0) pages.push({ at, data: page.slice() });
    }
    return { bytes: heap.length, pages };
  }

  restore({ bytes, pages }: SavedMemory): void {
    // What is asked for and given back at once makes the memory grow; then all of it is what it was.
    if (this.module.HEAPU8.length < bytes) this.module._free(this.module._malloc(bytes));
    if (this.module.HEAPU8.length < bytes) throw new Error(`zstd: there is no memory of ${bytes} bytes`);
    const heap = this.module.HEAPU8;
    heap.fill(0);
    for (const { at, data } of pages) heap.set(data, at);
  }

  private get module() {
    return this.library._mainModule._module;
  }

  private push(stream: Stream, bytes: Buffer): Buffer[] {
    const out: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes);
      this.module.HEAPU8.set(piece, this.from);
      const packed = this.taken(stream.compressChunk(this.to, this.room, this.from, piece.length));
      if (packed.length > 0) out.push(packed);
    }
    return out;
  }

  private taken(size: number): Buffer {
    this.checked(size);
    return Buffer.from(this.module.HEAPU8.slice(this.to, this.to + size).buffer);
  }

  private checked(size: number): number {
    const { isError, getErrorName } = this.library._zstdClass;
    if (isError(size)) throw new Error(`zstd: ${getErrorName(size)}`);
    return size;
  }
}
