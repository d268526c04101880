import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countChangedLines, lineChanges } from './line-diff';

test('lines added and removed', () => {
  expect(countChangedLines(null, 'a\nb\n')).toEqual({ added: 2, removed: 0 });
  expect(countChangedLines('a\nb\nc', 'a\nx\nc')).toEqual({ added: 1, removed: 1 });
  expect(countChangedLines('a\nb\n', null)).toEqual({ added: 0, removed: 2 });
  expect(countChangedLines('a\nb\nc\nd', 'b\nc\nd\ne')).toEqual({ added: 1, removed: 1 });
});

test('counts explain the difference in length and vanish only for equal texts', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (left, right) => {
      const { added, removed } = countChangedLines(left.join('\n'), right.join('\n'));
      expect(added - removed).toBe(right.length - left.length);
      expect(added === 0 && removed === 0).toBe(left.join('\n') === right.join('\n'));
    }),
  );
});

const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 24 }).map((lines) => lines.join('\n'));

test('both texts can be read back from the changes', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = lineChanges(before, after);
      const side = (gone: string) =>
        changes.flatMap(({ kind, lines }) => (kind === gone ? [] : lines)).join('\n');
      expect(side('added')).toBe(before);
      expect(side('removed')).toBe(after);
    }),
  );
});

test('finds the shortest script', () => {
  expect(lineChanges('one\ntwo\nthree\nfour', 'one\nthree\n3½\nfour')).toEqual([
    { kind: 'same', lines: ['one'] },
    { kind: 'removed', lines: ['two'] },
    { kind: 'same', lines: ['three'] },
    { kind: 'added', lines: ['3½'] },
    { kind: 'same', lines: ['four'] },
  ]);
});

test('two long texts with nothing in common are one replacement', () => {
  const long = (mark: string) => Array.from({ length: 100_000 }, (_, index) => `${mark} ${index}`).join('\n');
  const changes = lineChanges(long('old'), long('new'));
  expect(changes.map(({ kind }) => kind)).toEqual(['removed', 'added']);
});
