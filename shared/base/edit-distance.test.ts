import fc from 'fast-check';
import { expect, it } from 'vitest';
import { editDistance, nearestName } from './edit-distance';

it('is a distance: 0 for the same text alone, the same both ways, no longer by a detour', () => {
  const text = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(text, text, text, (a, b, c) => {
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
    }),
  );
  expect(editDistance('kitten', 'sitting')).toBe(3);
});

it.each([
  ['formt', 'format'],
  ['max_step', 'max-steps'],
  ['fly', null],
  ['x'.repeat(1_000_000), null],
])('the name near %j is %j', (word, name) => {
  expect(nearestName(word, ['format', 'filter-by', 'max-steps'])).toBe(name);
});
