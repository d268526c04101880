import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coveringBlocks } from './range-index';

test('blocks cover a range exactly, each step once, with few blocks', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.nat(3000), (from, length) => {
      const steps = coveringBlocks(from, from + length).flatMap(({ level, block }) =>
        Array.from({ length: 2 ** level }, (_, index) => block * 2 ** level + index),
      );
      expect(steps).toEqual(Array.from({ length: length + 1 }, (_, index) => from + index));
    }),
  );
  expect(coveringBlocks(1, 1_000_000).length).toBeLessThan(48);
});
