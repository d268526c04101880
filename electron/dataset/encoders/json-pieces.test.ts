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

it.each([
  'texts',
  'messages',
] as const)('gives the bytes that the whole record has as a line, whatever was written before it (%s)', (shared) => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 5 }), (records) => {
      const json = new JsonPieces(shared);
      // Each of them twice, and once more in a list with all before it.
      const lists = records.map((_, index) => ({ messages: records.slice(0, index + 1) }));
      for (const each of [...records, ...records, ...lists]) {
        expect(Buffer.concat(json.of(each, '<', '>')).toString()).toBe(`<${jsonLine(each)}>`);
      }
    }),
    { numRuns: 1_000 },
  );
});

it('makes the bytes of a long text once while one record after another holds it', () => {
  const json = new JsonPieces();
  const long = 'long '.repeat(100);
  const bytesIn = (value: unknown) => json.of(value).find(({ length }) => length > long.length);
  const first = bytesIn({ messages: [{ content: long }] });
  expect(bytesIn({ messages: [{ content: 'short' }, { content: long }] })).toBe(first);
  json.of({ messages: [] });
  expect(bytesIn({ messages: [{ content: long }] })).not.toBe(first);
});

it.each([
  'texts',
  'messages',
] as const)('makes the pieces of a message once, however many records hold it (%s)', (shared) => {
  const json = new JsonPieces(shared);
  const message = { role: 'tool', content: 'seen' };
  const holds = (piece: Buffer) => piece.includes('seen');
  const first = json.of({ messages: [message] }).find(holds);
  json.of({ messages: [] });
  const again = json.of({
    messages: [{ role: 'user', content: 'go on' }, message, message],
    tools: [message],
  });
  expect(again.filter(holds)).toEqual([first, first, first]);
  expect(again.filter((piece) => piece === first)).toHaveLength(3);
  expect(Buffer.concat(again).toString()).toBe(
    '{"messages":[{"role":"user","content":"go on"},{"role":"tool","content":"seen"},{"role":"tool","content":"seen"}],"tools":[{"role":"tool","content":"seen"}]}',
  );
});
