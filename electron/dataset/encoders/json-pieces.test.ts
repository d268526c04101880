import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonLine } from '../json-line';
import { JsonPieces } from './json-pieces';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  // Long ones of a small pool: what one record holds, the next may hold again.
  fc.constantFrom(
    'a'.repeat(200),
    `${'ü'.repeat(130)}"\\\n`,
    `${'x'.repeat(150)}\ud800`,
    `\\ud83d${'y'.repeat(140)}`,
    '𝕏'.repeat(90),
  ),
  fc.constantFrom('\udc00', 'half \ud83d', '\u2028', ''),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.oneof(fc.double(), fc.boolean(), fc.constant(null), fc.constant(undefined)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
}));
const record = fc.dictionary(text, value, { maxKeys: 5 });

it('gives the bytes that the whole record has as a line, whatever was written before it', () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 5 }), (records) => {
      const json = new JsonPieces();
      for (const each of records) {
        expect(Buffer.concat(json.of(each, '<', '>')).toString()).toBe(`<${jsonLine(each)}>`);
      }
    }),
    { numRuns: 1_000 },
  );
});

it('makes the bytes of a long text once while one record after another holds it', () => {
  const json = new JsonPieces();
  const long = 'long '.repeat(100);
  const [, first] = json.of({ messages: [{ content: long }] });
  const [, second] = json.of({ messages: [{ content: 'short' }, { content: long }] });
  expect(second).toBe(first);
  json.of({ messages: [] });
  expect(json.of({ messages: [{ content: long }] })[1]).not.toBe(first);
});
