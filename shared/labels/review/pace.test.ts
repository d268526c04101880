import { expect, test } from 'vitest';
import { median, paceOf, type TimedDecision, workByPlace } from './pace';

const decision = (step: number, ms: number, more: Partial<TimedDecision> = {}): TimedDecision => ({
  run: 'one',
  step,
  at: step * 1000,
  ms,
  class: 'unconfirmed',
  agreed: true,
  ...more,
});
const row = (from: number, n: number, ms: number, more: Partial<TimedDecision> = {}) =>
  Array.from({ length: n }, (_, index) => decision(from + index, ms, more));

test('work is the gaps between entries, each at most five minutes, given to the place of the later one', () => {
  const minute = 60_000;
  const work = workByPlace([
    { at: 9 * minute, place: 'b' },
    { at: 0, place: 'a' },
    { at: 2 * minute, place: 'a' },
    { at: 600 * minute, place: 'a' },
  ]);
  expect(Object.fromEntries(work)).toEqual({ a: 7 * minute, b: 5 * minute });
  expect(workByPlace([{ at: 5, place: 'a' }]).get('a')).toBe(0);
});

test('the median of an even number lies between the two in the middle', () => {
  expect(median([])).toBeNull();
  expect(median([3])).toBe(3);
  expect(median([9, 1, 2, 4])).toBe(3);
});

test('medians in all and by class', () => {
  const pace = paceOf([decision(1, 100, { class: 'disagreement' }), decision(2, 300), decision(3, 500)]);
  expect(pace).toMatchObject({
    decisions: 3,
    medianMs: 300,
    classes: [
      { class: 'disagreement', decisions: 1, medianMs: 100 },
      { class: 'unconfirmed', decisions: 2, medianMs: 400 },
    ],
    streaks: [],
  });
});

test('twenty quick agreements in a row are a streak, nineteen are none', () => {
  expect(paceOf(row(1, 19, 500)).streaks).toEqual([]);
  expect(paceOf(row(1, 20, 699)).streaks).toEqual([{ run: 'one', from: 1, to: 20, n: 20 }]);
  expect(paceOf(row(1, 20, 700)).streaks).toEqual([]);
});

test('a look, a disagreement and another run end a streak', () => {
  const broken = (middle: TimedDecision) => paceOf([...row(1, 12, 10), middle, ...row(14, 12, 10)]).streaks;
  expect(broken(decision(13, 10))).toEqual([{ run: 'one', from: 1, to: 25, n: 25 }]);
  expect(broken(decision(13, 5_000))).toEqual([]);
  expect(broken(decision(13, 10, { agreed: false }))).toEqual([]);
  expect(paceOf([...row(1, 12, 10), ...row(13, 12, 10, { run: 'two' })]).streaks).toEqual([]);
});
