import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ModelLines, modelText } from './model-text';

const encode = (text: string) => new TextEncoder().encode(text);

function linesOf(bytes: Uint8Array, cuts: number[] = [], from = 0) {
  const lines = new ModelLines(from);
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  const found = edges.slice(1).flatMap((edge, index) => lines.push(bytes.subarray(edges[index], edge)));
  return [...found, ...lines.end()];
}

it('tells where each line stands in the raw log', () => {
  const raw = 'first\r\n\x1b[31mse\x1b[0mcond\r\n 10%\r 50%\r100%\r\nlast';
  expect(linesOf(encode(raw), [3, 9, 20], 1000)).toEqual([
    { text: 'first', offset: 1000, endOffset: 1005 + 2 },
    { text: 'second', offset: 1007, endOffset: 1024 },
    { text: '100%', offset: 1024, endOffset: 1024 + 16 },
    { text: 'last', offset: 1040, endOffset: 1044 },
  ]);
});

it('counts bytes, not characters', () => {
  const bytes = new Uint8Array([...encode('你好😀\nfile '), 0xff]);
  expect(linesOf(bytes, [1, 2, 8, 12])).toEqual([
    { text: '你好😀', offset: 0, endOffset: 11 },
    { text: 'file �', offset: 11, endOffset: bytes.length },
  ]);
});

it('gives a line that a program went back to the place of its last change', () => {
  const raw = 'a\r\nb\r\n\x1b[2Adone\r\n\r\nend\r\n';
  const [first] = linesOf(encode(raw));
  expect(first).toEqual({ text: 'done', offset: 0, endOffset: raw.indexOf('done') + 6 });
});

it('has the same text as the model sees, wherever chunks are cut, and places that only grow', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '\n',
      '\r',
      '\r\n',
      '\x1b[A',
      '\x1b[2K',
      '\x1b[H',
      '\x1b[J',
      '\x1b[?1049h',
      '\x1b[?1049l',
      '\t',
      '\b',
    ),
    fc.string({ maxLength: 12 }),
    fc.constantFrom('你', '😀', '\x1b]0;a\nb\x07', '\x85'),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 80 }),
      fc.uint8Array({ maxLength: 20 }),
      fc.array(fc.nat(), { maxLength: 6 }),
      (parts, noise, cuts) => {
        const bytes = new Uint8Array([...encode(parts.join('')), ...noise]);
        const lines = linesOf(bytes, cuts);
        expect(lines.map(({ text }) => text).join('\n')).toBe(modelText(bytes));
        for (const [index, line] of lines.entries()) {
          expect(line.offset).toBeGreaterThanOrEqual(lines[index - 1]?.offset ?? 0);
          expect(line.endOffset).toBeGreaterThanOrEqual(line.offset);
          expect(line.endOffset).toBeLessThanOrEqual(bytes.length);
        }
      },
    ),
    { numRuns: 1000 },
  );
});
