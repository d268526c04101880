import { expect, test } from 'vitest';
import { addScore, finalScore, type Scores } from './final-score';

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
