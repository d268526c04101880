import { expect, it } from 'vitest';
import { segmentOf, segmentStep } from './segments';

const more = { carried: null, counts: { train: 0, mask: 0, undecided: 0, disagreement: 0 } };
const list = [
  { segment: 1, firstStep: 1, summaryStep: null, lastStep: 6, ...more },
  { segment: 2, firstStep: 7, summaryStep: 6, lastStep: 11, ...more },
  { segment: 3, firstStep: 12, summaryStep: 11, lastStep: 20, ...more },
];

it('goes from segment to segment', () => {
  expect(segmentStep(list, 1, 20, 1)).toBe(7);
  expect(segmentStep(list, 7, 20, 1)).toBe(12);
  expect(segmentStep(list, 12, 20, 1)).toBeNull();
  expect(segmentStep(list, 15, 20, -1)).toBe(12);
  expect(segmentStep(list, 12, 20, -1)).toBe(7);
  expect(segmentStep(list, 1, 20, -1)).toBeNull();
});

it('does not go to a segment that has no step yet', () => {
  expect(segmentStep(list, 8, 11, 1)).toBeNull();
});

it('a summary turn belongs to the segment it ends', () => {
  expect(segmentOf(list, 11)?.segment).toBe(2);
  expect(segmentOf(list, 12)?.segment).toBe(3);
  expect(segmentOf([], 3)).toBeUndefined();
});
