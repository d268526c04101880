import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bandByStep, bandsByScore, type PairLine, pairLines, type ScoredRun } from './side-by-side';

const scored = (steps: number, ...scores: [step: number, score: number][]): ScoredRun => ({
  steps,
  scores: scores.map(([step, score]) => ({ step, score })),
});

test('a band ends in both runs with the step that reached the score; what follows the last common one is the rest', () => {
  const a = scored(20, [4, 10], [9, 30], [15, 25], [18, 60]);
  const b = scored(12, [6, 12], [10, 30]);
  expect(bandsByScore(a, b)).toEqual([
    { reaches: 10, a: { from: 1, to: 4 }, b: { from: 1, to: 6 } },
    { reaches: 12, a: { from: 5, to: 9 }, b: { from: 7, to: 6 } },
    { reaches: 30, a: { from: 10, to: 9 }, b: { from: 7, to: 10 } },
    { reaches: null, a: { from: 10, to: 20 }, b: { from: 11, to: 12 } },
  ]);
});

test('runs without a common score, or without any, are one band', () => {
  const whole = { reaches: null, a: { from: 1, to: 3 }, b: { from: 1, to: 5 } };
  expect(bandsByScore(scored(3), scored(5, [2, 40]))).toEqual([whole]);
  expect(bandByStep(scored(3, [1, 4]), scored(5, [2, 4]))).toEqual([whole]);
});

test('each step of either run stands in exactly one line, in order, whatever the scores', () => {
  const anyRun = fc.nat({ max: 30 }).chain((steps) =>
    fc.record({
      steps: fc.constant(steps),
      scores: fc
        .array(fc.record({ step: fc.nat({ max: steps }), score: fc.nat({ max: 6 }) }), { maxLength: 8 })
        .map((scores) => scores.sort((one, other) => one.step - other.step)),
    }),
  );
  fc.assert(
    fc.property(anyRun, anyRun, fc.boolean(), (a, b, heads) => {
      const bands = bandsByScore(a, b);
      const lines = pairLines(bands, heads);
      const all = Array.from({ length: lines.count }, (_, index) => lines.at(index) as PairLine);
      expect(all).not.toContain(undefined);
      expect(lines.at(lines.count)).toBeUndefined();
      for (const [side, run] of [
        ['a', a],
        ['b', b],
      ] as const) {
        const steps = all.flatMap((line) => ('band' in line ? [] : (line[side] ?? [])));
        expect(steps).toEqual(Array.from({ length: run.steps }, (_, index) => index + 1));
      }
      const headLines = all.filter((line) => 'band' in line);
      expect(headLines).toHaveLength(heads ? bands.length : 0);
      const reached = bands.flatMap(({ reaches }) => reaches ?? []);
      expect(reached).toEqual([...reached].sort((one, other) => one - other));
    }),
  );
});
