import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScoreSpec } from '../contract/task';
import { pointsFor, REFERENCE_POINTS, withPenalty } from './score';

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
