import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { readParquet } from 'parquet-wasm';
import type { ParquetLayout } from '../dataset/targets/target';

/** A Parquet file with the values as rows of the layout, in row groups of a few. */
export function parquetOf(
  { schema, columns }: ParquetLayout,
  values: readonly Readonly<Record<string, unknown>>[],
  group = 3,
): Uint8Array {
  const writer = new ByteWriter();
  // The layout is the writer's own schema, written down without its types.
  const file = new ParquetWriter({ writer, schema: schema as never });
  const columnData = columns.map((name) => ({ name, data: values.map((value) => value[name]) }));
  file.write({ columnData, rowGroupSize: group });
  file.finish();
  return writer.getBytes();
}

/** The rows as two readers see them that share no code: one in JavaScript, one in Rust. */
export async function parquetRows(bytes: Uint8Array): Promise<{ script: unknown[]; rust: unknown[] }> {
  const file = new Uint8Array(bytes).buffer;
  const script = await parquetReadObjects({ file });
  const table = tableFromIPC(readParquet(new Uint8Array(bytes)).intoIPCStream());
  return { script: script.map(plain), rust: table.toArray().map(plain) };
}

/** Values without what is a reader's own: vectors are arrays, rows objects, 64-bit numbers numbers. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Symbol.iterator in value && !isRow(value)) return [...(value as Iterable<unknown>)].map(plain);
  const json = isRow(value) ? value.toJSON() : value;
  return Object.fromEntries(Object.entries(json).map(([key, item]) => [key, plain(item)]));
}

function isRow(value: object): value is { toJSON(): object } {
  return 'toJSON' in value && !('length' in value);
}
