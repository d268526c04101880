import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joined, type StepRange } from '../../contract/step-range';
import { common, holds, stepsIn, without } from './step-ranges';

const ranges = fc
  .array(fc.record({ from: fc.integer({ min: 1, max: 30 }), n: fc.nat(8) }), { maxLength: 8 })
  .map((list) => list.map(({ from, n }) => ({ from, to: from + n })));

const set = (list: readonly StepRange[]) =>
  new Set(list.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index)));

const steps = Array.from({ length: 40 }, (_, index) => index + 1);

test('ranges are the sets of their steps', () => {
  fc.assert(
    fc.property(ranges, ranges, (one, other) => {
      const a = joined(one);
      const b = joined(other);
      expect(set(a)).toEqual(set(one));
      expect(stepsIn(a)).toBe(set(one).size);
      expect(steps.filter((step) => holds(a, step))).toEqual(steps.filter((step) => set(one).has(step)));
      const both = steps.filter((step) => set(one).has(step) && set(other).has(step));
      expect([...set(common(a, b))].sort((x, y) => x - y)).toEqual(both);
      const rest = steps.filter((step) => set(one).has(step) && !set(other).has(step));
      expect([...set(without(a, b))].sort((x, y) => x - y)).toEqual(rest);
      for (const result of [a, common(a, b), without(a, b)]) {
        expect(joined(result)).toEqual(result);
      }
    }),
    { numRuns: 500 },
  );
});
