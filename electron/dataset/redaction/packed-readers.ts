import { createReadStream } from 'node:fs';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { LinesOf } from './rescan';
import { linesOfPieces } from './rescan';

/** Rows of a Parquet file that are held at a time. */
const ROWS = 1_000;

/** Opens what an export packs, for the last look at it. */
export const packedReaders: Readonly<Record<string, LinesOf>> = {
  '.zst': async function* zstd(path) {
    const { Decompress } = await import('fzstd');
    const ready: Buffer[] = [];
    const unpacking = new Decompress((piece) => ready.push(Buffer.from(piece)));
    const pieces = async function* () {
      for await (const piece of createReadStream(path)) {
        unpacking.push(piece as Buffer);
        yield* ready.splice(0);
      }
      unpacking.push(new Uint8Array(0), true);
      yield* ready.splice(0);
    };
    yield* linesOfPieces(pieces());
  },
  '.parquet': async function* parquet(path) {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    const rows = Number(metadata.num_rows);
    for (let start = 0; start < rows; start += ROWS) {
      const objects = await parquetReadObjects({
        file,
        metadata,
        rowStart: start,
        rowEnd: Math.min(rows, start + ROWS),
      });
      for (const row of objects) yield JSON.stringify(row, plain);
    }
  },
};

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
