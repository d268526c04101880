import { expect, test } from 'vitest';
import { roomyLabels, scoreCeiling } from './ScorePlot';

test('small scores keep their differences, scores near 100 are told against 100', () => {
  expect(scoreCeiling([])).toBe(1);
  expect(scoreCeiling([0.5, 6.6])).toBe(8);
  expect(scoreCeiling([12, 71])).toBe(100);
  expect(scoreCeiling([140])).toBe(140);
});

test('no written score lies over another, and the best and the last come first', () => {
  const marks = [
    { at: 0, score: 1 },
    { at: 10, score: 2 },
    { at: 100, score: 9 },
    { at: 110, score: 3 },
    { at: 200, score: 4 },
  ];
  expect([...roomyLabels(marks)].sort()).toEqual([0, 2, 4]);
  expect(roomyLabels([]).size).toBe(0);
});
