import { expect, it } from 'vitest';
import { shownRanges } from './shown-ranges';

it('leaves out what a filter hides', () => {
  expect(shownRanges(3, 9, null)).toEqual([{ from: 3, to: 9 }]);
  expect(shownRanges(3, 9, [1, 3, 4, 7, 12])).toEqual([
    { from: 3, to: 4 },
    { from: 7, to: 7 },
  ]);
  expect(shownRanges(3, 9, [1, 12])).toEqual([]);
});
