import { expect, it } from 'vitest';
import { separation, separationBound } from './vote-precision';

it('three votes that are right three times in four tell a good step from a bad one 83 times in a hundred', () => {
  expect(separation(0.75, 0.75, 3)).toBeCloseTo(0.8306, 4);
  expect(separationBound(0.75, 0.75, 3)).toBeCloseTo(0.171, 3);
});

it('the bound holds wherever a judge is better than chance', () => {
  for (let plus = 0; plus <= 20; plus += 1)
    for (let minus = 0; minus <= 20; minus += 1)
      for (const votes of [1, 2, 3, 5, 8, 20]) {
        const bound = separationBound(plus / 20, minus / 20, votes);
        if (plus + minus <= 20) expect(bound).toBeNull();
        else expect(separation(plus / 20, minus / 20, votes)).toBeGreaterThanOrEqual((bound ?? 0) - 1e-12);
      }
});

it('is 1 for a judge that is always right, 0 for one that is always wrong, and one of chance is below one half', () => {
  expect(separation(1, 1, 3)).toBe(1);
  expect(separation(0, 0, 3)).toBe(0);
  expect(separation(0.5, 0.5, 1)).toBeCloseTo(0.25, 12);
});

it('grows with the votes of a judge that is better than chance', () => {
  const found = [1, 3, 9, 27, 81].map((votes) => separation(0.6, 0.6, votes));
  expect(found).toEqual([...found].sort((a, b) => a - b));
  expect(found.at(-1)).toBeGreaterThan(0.99);
});
