import { describe, expect, it } from 'vitest';
import { parquetOf, parquetRows } from '../../testing/parquet-readers';
import { layout, number, struct, structs, text } from './parquet-columns';

const made = layout([
  structs('messages', [text('role'), number('loss_mask', 'INT32')]),
  struct('info', [text('name'), number('on', 'BOOLEAN')]),
  number('score', 'DOUBLE'),
]);
const row = { messages: [{ role: 'user', loss_mask: 0 }], info: { name: 'n', on: true }, score: 0.5 };

describe('a layout', () => {
  it('is read alike by two readers: nested and empty lists, no numbers, characters of every kind', async () => {
    const rows = [
      row,
      { messages: [], info: { name: '', on: false }, score: Number.NaN },
      {
        messages: [
          { role: '助手 👩🏽‍💻 \u0000 "', loss_mask: 1 },
          { role: '', loss_mask: -(2 ** 31) },
        ],
        info: { name: 'x'.repeat(70_000), on: true },
        score: -0.1,
      },
      { ...row, score: Number.MAX_VALUE },
    ];
    const { script, rust } = await parquetRows(parquetOf(made, rows));
    expect(script).toEqual(rows);
    expect(rust).toEqual(rows);
  });

  it.each([
    ['null', { ...row, messages: [{ role: 'user', loss_mask: null }] }],
    ['a missing field', { ...row, messages: [{ role: 'user' }] }],
    ['half a mask', { ...row, messages: [{ role: 'user', loss_mask: 0.5 }] }],
    ['true for 1', { ...row, messages: [{ role: 'user', loss_mask: true }] }],
    ['a text for a number', { ...row, messages: [{ role: 'user', loss_mask: '1' }] }],
    ['no list', { ...row, messages: null }],
    ['a missing struct', { ...row, info: undefined }],
    ['no number', { ...row, score: null }],
  ])('takes no %s', (_, bad) => {
    expect(() => parquetOf(made, [row, bad])).toThrow();
    expect(parquetOf(made, [row, row]).length).toBeGreaterThan(0);
  });
});
