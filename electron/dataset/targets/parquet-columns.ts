import type { ParquetLayout } from './target';

type Element = Readonly<Record<string, unknown>>;

/** A column or field with all that is below it, in the order in which Parquet lists a schema. */
export type Field = readonly Element[];

/**
 * Every field is REQUIRED: the writer throws on null, on a missing key and on a value of another type, so a loader never fills
 * in what was left out.
 */
export const text = (name: string): Field => [
  {
    name,
    type: 'BYTE_ARRAY',
    converted_type: 'UTF8',
    logical_type: { type: 'STRING' },
    repetition_type: 'REQUIRED',
  },
];

export const number = (name: string, type: 'INT32' | 'DOUBLE' | 'BOOLEAN'): Field => [
  { name, type, repetition_type: 'REQUIRED' },
];

export const struct = (name: string, fields: readonly Field[]): Field => [
  { name, num_children: fields.length, repetition_type: 'REQUIRED' },
  ...fields.flat(),
];

/** A list of structs, in the three levels that all readers take for a list. */
export const structs = (name: string, fields: readonly Field[]): Field => [
  {
    name,
    num_children: 1,
    repetition_type: 'REQUIRED',
    converted_type: 'LIST',
    logical_type: { type: 'LIST' },
  },
  { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
  ...struct('element', fields),
];

export function layout(columns: readonly Field[]): ParquetLayout {
  return {
    schema: [{ name: 'root', num_children: columns.length }, ...columns.flat()],
    columns: columns.map(([first]) => String(first?.name)),
  };
}
