import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createGunzip, gunzipSync } from 'node:zlib';
import type { Compression, Encoding } from '@shared/contract/export-request';
import { Decompress, decompress } from 'fzstd';

/** A record as it lies in a data file; `line` counts from 1: lines of text, rows of Parquet. */
export type ReadRecord =
  | { line: number; text: string; value: unknown }
  | { line: number; text: null; value: Readonly<Record<string, unknown>> }
  /** Something there is no record. */
  | { line: number; problem: string };

/** Bytes read at a time. */
const readBytes = 1 << 20;
/** Characters of one line at most: a text of more cannot be made. */
const longestLine = 256 << 20;

/**
 * Opens a file of a dataset that somebody else may have made: a regular one, through no link.
 * @throws the system's errors; a plain error for what is no file
 */
export async function openDataFile(path: string): Promise<FileHandle> {
  const handle = await open(
    path,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error('it is not a regular file');
}

/** The records of one data file, one by one, in bounded memory. Ends after the first problem behind which nothing can be read. */
export async function* readRecords(
  path: string,
  { encoding, compression }: { encoding: Encoding; compression: Compression },
): AsyncGenerator<ReadRecord> {
  if (encoding === 'parquet') {
    yield* parquetRecords(path);
    return;
  }
  const packed = encoding === 'documents' ? 'none' : compression;
  if (encoding === 'documents') {
    const lines: string[] = [];
    for await (const { text } of textLines(path, packed)) lines.push(text);
    yield parsed(lines.join('\n'), 1);
    return;
  }
  for await (const { text, line, isWhole } of textLines(path, packed)) {
    if (encoding === 'jsonl') {
      if (isWhole) yield parsed(text, line);
      else yield { line, problem: 'The last line has no end: the file was cut off.' };
      continue;
    }
    // One array, a record in each line, as it was written.
    if (line === 1 && text === '[') continue;
    if (line === 1 && text === '[]') return;
    if (text === ']') return;
    yield parsed(text.endsWith(',') ? text.slice(0, -1) : text, line);
  }
  if (encoding === 'array') yield { line: 0, problem: 'The array has no end: the file was cut off.' };
}

function parsed(text: string, line: number): ReadRecord {
  try {
    return { line, text, value: JSON.parse(text) as unknown };
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return { line, problem: `It is not valid JSON: ${thrown.message}.` };
    throw thrown;
  }
}

async function* textLines(
  path: string,
  compression: Compression,
): AsyncGenerator<{ text: string; line: number; isWhole: boolean }> {
  let line = 0;
  let pieces: string[] = [];
  let length = 0;
  const decoder = new TextDecoder('utf-8', { fatal: false });
  const take = function* (text: string) {
    let at = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
      line += 1;
      pieces.push(text.slice(at, end));
      yield { text: pieces.join(''), line, isWhole: true };
      pieces = [];
      length = 0;
      at = end + 1;
    }
    if (at < text.length) pieces.push(text.slice(at));
    length += text.length - at;
    if (length > longestLine) throw new Error(`line ${line + 1} is longer than ${longestLine} characters`);
  };
  for await (const chunk of unpacked(path, compression)) yield* take(decoder.decode(chunk, { stream: true }));
  yield* take(decoder.decode());
  if (length > 0) yield { text: pieces.join(''), line: line + 1, isWhole: false };
}

async function* unpacked(path: string, compression: Compression): AsyncGenerator<Uint8Array> {
  if (compression === 'gzip') {
    const handle = await openDataFile(path);
    const source = handle.createReadStream({ highWaterMark: readBytes });
    const gunzip = createGunzip();
    source.on('error', (error) => gunzip.destroy(error));
    yield* source.pipe(gunzip);
    return;
  }
  const chunks: Uint8Array[] = [];
  const zstd = compression === 'zstd' ? new Decompress((chunk) => chunks.push(chunk)) : null;
  const handle = await openDataFile(path);
  try {
    const buffer = Buffer.allocUnsafe(readBytes);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      const bytes = buffer.subarray(0, bytesRead);
      if (zstd === null) {
        if (bytesRead === 0) return;
        yield bytes;
        continue;
      }
      zstd.push(Uint8Array.from(bytes), bytesRead === 0);
      yield* chunks.splice(0);
      if (bytesRead === 0) return;
    }
  } finally {
    await handle.close();
  }
}

async function* parquetRecords(path: string): AsyncGenerator<ReadRecord> {
  const { parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  const handle = await openDataFile(path);
  try {
    const file = {
      byteLength: (await handle.stat()).size,
      slice: async (from: number, to?: number) => {
        const end = to ?? file.byteLength;
        const bytes = Buffer.alloc(Math.max(0, end - from));
        await handle.read(bytes, 0, bytes.length, from);
        return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
      },
    };
    const metadata = await parquetMetadataAsync(file);
    const compressors = {
      GZIP: (bytes: Uint8Array) => gunzipSync(bytes),
      ZSTD: (bytes: Uint8Array) => decompress(bytes),
    };
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows);
      const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors });
      for (const [index, value] of rows.entries()) yield { line: rowStart + index + 1, text: null, value };
      rowStart = rowEnd;
    }
  } finally {
    await handle.close();
  }
}
