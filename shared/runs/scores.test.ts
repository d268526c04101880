import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { ScoreSpec } from '../contract/task';
import { addScore, finalScore, pointsFor, REFERENCE_POINTS, type Scores, withPenalty } from './scores';

const finite = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const scoreSpec = fc
  .tuple(finite, fc.double({ min: 1e-3, max: 1e6, noNaN: true }), fc.constantFrom('higher', 'lower'))
  .map(
    ([baseline, distance, direction]): ScoreSpec => ({
      baseline,
      reference: direction === 'higher' ? baseline + distance : baseline - distance,
      direction,
    }),
  );

describe('score as data', () => {
  it('gives 0 at the baseline and 80 at the reference, in both directions', () => {
    fc.assert(
      fc.property(scoreSpec, (score) => {
        expect(pointsFor(score.baseline, score)).toBe(0);
        expect(pointsFor(score.reference, score)).toBeCloseTo(REFERENCE_POINTS, 9);
      }),
    );
  });

  it('never leaves 0..100 and never falls when the metric gets better', () => {
    fc.assert(
      fc.property(scoreSpec, finite, finite, (score, a, b) => {
        const better = score.direction === 'higher' ? Math.max(a, b) : Math.min(a, b);
        const worse = better === a ? b : a;
        const [high, low] = [pointsFor(better, score), pointsFor(worse, score)];
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(100);
        expect(high).toBeGreaterThanOrEqual(low);
      }),
    );
  });

  it('is one line between 0 and 100: halfway to the reference is 40, a quarter beyond it is 100', () => {
    const score: ScoreSpec = { baseline: 0.2, reference: 0.6, direction: 'higher' };
    expect(pointsFor(0.4, score)).toBeCloseTo(40, 9);
    expect(pointsFor(0.65, score)).toBeCloseTo(90, 9);
    expect(pointsFor(0.7, score)).toBeCloseTo(100, 9);
    expect(pointsFor(0.9, score)).toBe(100);
    expect(pointsFor(2.5, { baseline: 4, reference: 2, direction: 'lower' })).toBeCloseTo(60, 9);
  });

  it('takes the metric as points where the task has no score block', () => {
    expect([pointsFor(-3, null), pointsFor(42.5, null), pointsFor(140, null)]).toEqual([0, 42.5, 100]);
  });

  it('takes the penalty off, not below 0', () => {
    expect([withPenalty(50, 10), withPenalty(5, 10), withPenalty(50, 0)]).toEqual([40, 0, 50]);
  });
});

const after = (...evaluations: [score: number | null, forced: boolean][]): Scores => {
  const scores: Scores = { best: null, final: null, last: null };
  for (const [score, forced] of evaluations) addScore(scores, score, forced);
  return scores;
};

test('a run ends with the score of the evaluation that was forced at its end', () => {
  expect(finalScore(after([80, false], [40, true]))).toBe(40);
  expect(after([80, false], [40, true])).toEqual({ best: 80, last: 40, final: 40 });
});

test('without a forced evaluation the last score is that of the run', () => {
  expect(finalScore(after([80, false], [null, false]))).toBe(80);
  expect(finalScore(after())).toBe(null);
});

test('no earlier score stands for a forced evaluation that came to none', () => {
  expect(finalScore(after([100, false], [null, true]))).toBe(null);
  expect(after([100, false], [null, true])).toMatchObject({ best: 100, finalUnavailable: true });
  expect(finalScore(after([100, false], [null, true], [60, true]))).toBe(60);
  expect(finalScore(after([100, false], [60, true], [null, true]))).toBe(null);
});
