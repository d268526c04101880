import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonShapes, jsonShape } from './json-shape';

const piece = fc.constantFrom(
  ...[
    '"',
    '\\',
    '\\"',
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    ' ',
    '\n',
    '1',
    'x',
    '"text"',
    '"a\\\\"',
    '"é"',
    '[1,2]',
  ],
);
const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

/** Byte by byte, and in pieces of any length. */
function shapeOf(bytes: Uint8Array, cuts: readonly number[]) {
  const shapes = new JsonShapes(20);
  let from = 0;
  for (const length of [...cuts, bytes.length]) {
    const problem = shapes.take(bytes.subarray(from, from + length));
    if (problem !== null) return { values: shapes.seen, problem };
    from += length;
  }
  return shapes.end();
}

test('a document has one shape, however it is cut', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(9), { maxLength: 30 }), (document, cuts) => {
      const bytes = new TextEncoder().encode(document);
      const whole = jsonShape(bytes, 20);
      expect(shapeOf(bytes, cuts)).toEqual(whole);
      const ones = Array<number>(bytes.length).fill(1);
      expect(shapeOf(bytes, ones)).toEqual(whole);
    }),
    { numRuns: 3_000 },
  );
});

test('what is JSON is seen to end, with its values and the commas in its texts left out', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 9 }), (texts) => {
      const bytes = new TextEncoder().encode(JSON.stringify(texts));
      expect(jsonShape(bytes, 1_000)).toEqual({ values: 2 + Math.max(0, texts.length - 1), problem: null });
    }),
  );
});

test('a text may be as long as 16 MB, and no longer, also in pieces', () => {
  const most = 16 * 1024 * 1024;
  const document = (length: number) => Buffer.from(`["${'x'.repeat(length)}"]`);
  const problem = 'one text in it is longer than 16 MB';
  expect(jsonShape(document(most), 10).problem).toBeNull();
  expect(jsonShape(document(most + 1), 10).problem).toBe(problem);
  const long = document(most + 1);
  expect(shapeOf(long, Array<number>(200).fill(100_000)).problem).toBe(problem);
  expect(shapeOf(document(most), Array<number>(200).fill(100_000)).problem).toBeNull();
});
