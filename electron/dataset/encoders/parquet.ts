import { gzipSync } from 'node:zlib';
import type { Compression } from '@shared/contract/export-request';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { ParquetLayout } from '../targets/target';
import type { RecordEncoder } from './encoder';
import type { ZstdStreams } from './zstd';

/** Bytes of text gathered for a row group. Memory is some eight times that while it is encoded. */
const batchBytes = 32 << 20;

const codecs = { none: 'SNAPPY', gzip: 'GZIP', zstd: 'ZSTD' } as const;

/** What the writer knows beside the bytes that it gave away. */
interface SavedWriter {
  row_groups: ParquetWriter['row_groups'];
  num_rows: bigint;
  pendingIndexes: ParquetWriter['pendingIndexes'];
  offset: number;
}

/**
 * Rows of a Parquet file under an explicit schema: a REQUIRED column refuses what is missing or null instead of writing it. A row
 * group is as many rows as make 32 MB, or those up to a border: rows of trajectories are of 100 kB and more.
 * @param zstd with compression `zstd`
 */
export class ParquetEncoder implements RecordEncoder {
  private readonly bytes = new ByteWriter(1 << 16);
  private readonly writer: ParquetWriter;
  private rows: Readonly<Record<string, unknown>>[] = [];
  private weight = 0;

  constructor(
    private readonly layout: ParquetLayout,
    compression: Compression,
    zstd: ZstdStreams | null,
    private readonly most = batchBytes,
  ) {
    this.writer = new ParquetWriter({
      writer: this.bytes,
      schema: layout.schema as unknown as SchemaElement[],
      codec: codecs[compression],
      compressors: {
        GZIP: (data) => gzipSync(data),
        ...(zstd === null ? {} : { ZSTD: (data) => zstd.compress(data) }),
      },
    });
  }

  add(value: Readonly<Record<string, unknown>>): Buffer[] {
    const row = this.layout.row?.(value) ?? value;
    this.rows.push(row);
    this.weight += weightOf(row);
    return this.weight < this.most ? [] : this.border();
  }

  /** A group ends here. */
  border(): Buffer[] {
    const { rows } = this;
    if (rows.length === 0) return [];
    void this.writer.write({
      columnData: this.layout.columns.map((name) => ({ name, data: rows.map((row) => row[name]) })),
      rowGroupSize: rows.length,
    });
    this.rows = [];
    this.weight = 0;
    return this.taken();
  }

  save(): SavedWriter {
    const { row_groups, num_rows, pendingIndexes } = this.writer;
    return { row_groups, num_rows, pendingIndexes, offset: this.bytes.offset };
  }

  restore(saved: unknown): void {
    const { offset, ...known } = saved as SavedWriter;
    Object.assign(this.writer, known);
    this.bytes.offset = offset;
    this.bytes.index = 0;
  }

  end(): Buffer[] {
    const last = this.border();
    void this.writer.finish();
    return [...last, ...this.taken()];
  }

  private taken(): Buffer[] {
    const { bytes } = this;
    const taken = Buffer.from(bytes.getBytes());
    bytes.index = 0;
    // One large group must not keep its room for good.
    if (bytes.buffer.byteLength > 4 << 20) {
      bytes.buffer = new ArrayBuffer(1 << 16);
      bytes.view = new DataView(bytes.buffer);
    }
    return taken.length > 0 ? [taken] : [];
  }
}

/** Bytes of a value, about: texts by their units, anything else by eight. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 8;
  if (value === null || typeof value !== 'object') return 8;
  let sum = 16;
  for (const each of Array.isArray(value) ? value : Object.values(value)) sum += weightOf(each);
  return sum;
}
