import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countChangedLines } from './line-diff';

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
