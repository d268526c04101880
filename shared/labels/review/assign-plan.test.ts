import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AssignWish, blindness, planAssignments, targetsOf } from './assign-plan';
import { stepsIn } from './step-ranges';

const names = ['Ada', 'Bob', 'Chen', 'Dana'];
const people = (n: number) => names.slice(0, n).map((name) => ({ uuid: `uuid of ${name}`, name }));

/** Runs cut into segments of the given lengths. */
function unitsOf(runs: readonly (readonly number[])[]): AssignWish['units'] {
  return runs.flatMap((lengths, index) => {
    let next = 1;
    return lengths.map((length) => {
      const from = next;
      next += length;
      return { run: `run ${index}`, from, to: next - 1 };
    });
  });
}

const wishes = fc
  .record({
    runs: fc.array(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 }), {
      maxLength: 5,
    }),
    n: fc.integer({ min: 2, max: 4 }),
    overlap: fc.double({ min: 0, max: 1, noNaN: true }),
    blind: fc.constantFrom(...blindness),
  })
  .map(({ runs, n, ...rest }) => ({ units: unitsOf(runs), people: people(n), ...rest }));

const stepsOf = (shares: readonly { run: string; ranges: readonly { from: number; to: number }[] }[]) =>
  shares.flatMap(({ run, ranges }) =>
    ranges.flatMap(({ from, to }) =>
      Array.from({ length: to - from + 1 }, (_, index) => `${run} ${from + index}`),
    ),
  );

test('every step has one first reader, and at most one second one who is somebody else', () => {
  fc.assert(
    fc.property(wishes, (wish) => {
      const plan = planAssignments(wish);
      const all = stepsOf(wish.units.map(({ run, from, to }) => ({ run, ranges: [{ from, to }] }))).sort();
      expect(stepsOf(plan.shares.filter(({ second }) => !second)).sort()).toEqual(all);
      const second = stepsOf(plan.shares.filter((share) => share.second));
      expect(new Set(second).size).toBe(second.length);
      expect(second.length).toBe(plan.overlapSteps);
      for (const person of wish.people) {
        const own = stepsOf(plan.shares.filter(({ to }) => to === person));
        expect(new Set(own).size).toBe(own.length);
        const counted = plan.people.find((each) => each.person === person);
        expect((counted?.first ?? 0) + (counted?.second ?? 0)).toBe(own.length);
        const blind = stepsOf(plan.shares.filter((share) => share.to === person && share.blind));
        expect(counted?.blind).toBe(blind.length);
      }
    }),
    { numRuns: 300 },
  );
});

test('nobody has more than one unit more than another, before second readers are chosen', () => {
  fc.assert(
    fc.property(wishes, (wish) => {
      const plan = planAssignments({ ...wish, overlap: 0 });
      const loads = plan.people.map(({ first }) => first);
      const longest = Math.max(0, ...wish.units.map(({ from, to }) => to - from + 1));
      expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(longest);
    }),
    { numRuns: 300 },
  );
});

test('the overlap is as near as whole units allow: never further off than the longest unit', () => {
  fc.assert(
    fc.property(wishes, (wish) => {
      const plan = planAssignments(wish);
      const longest = Math.max(0, ...wish.units.map(({ from, to }) => to - from + 1));
      expect(Math.abs(plan.overlapSteps - wish.overlap * plan.steps)).toBeLessThanOrEqual(longest);
      if (wish.overlap === 1) expect(plan.overlapSteps).toBe(plan.steps);
      if (wish.overlap === 0) expect(plan.overlapSteps).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test('the same wish gives the same plan, whatever the order of its units', () => {
  fc.assert(
    fc.property(wishes, (wish) => {
      const plan = planAssignments(wish);
      expect(planAssignments({ ...wish, units: [...wish.units].reverse() })).toEqual(plan);
    }),
  );
});

test('who reads blind is as wished', () => {
  const wish = { units: unitsOf([[10, 10, 10, 10]]), people: people(2), overlap: 0.5 };
  const blind = (how: AssignWish['blind']) =>
    planAssignments({ ...wish, blind: how }).people.map(({ blind: steps }) => steps);
  expect(blind('none')).toEqual([0, 0]);
  expect(blind('second').reduce((sum, n) => sum + n, 0)).toBe(20);
  expect(blind('both').reduce((sum, n) => sum + n, 0)).toBe(40);
});

test('what cannot be is refused', () => {
  const wish: AssignWish = { units: unitsOf([[5]]), people: people(1), overlap: 0.2, blind: 'second' };
  expect(() => planAssignments(wish)).toThrow('two people');
  expect(() => planAssignments({ ...wish, people: [], overlap: 0 })).toThrow('at least one');
  expect(() => planAssignments({ ...wish, overlap: 1.2 })).toThrow('between 0 and 1');
  expect(() => planAssignments({ ...wish, people: [...people(1), ...people(1)] })).toThrow('twice');
});

test('a share of very many pieces is several targets that say the same', () => {
  const ranges = Array.from({ length: 12_001 }, (_, index) => ({ from: index * 2 + 1, to: index * 2 + 1 }));
  const [to] = people(1);
  if (to === undefined) throw new Error('somebody');
  const targets = targetsOf({ to, run: 'one', blind: false, second: false, ranges });
  expect(targets.map(({ parts }) => parts?.length)).toEqual([5_000, 5_000, 2_001]);
  expect(stepsIn(targets.flatMap(({ parts }) => parts ?? []))).toBe(12_001);
  expect(targetsOf({ to, run: 'one', blind: false, second: false, ranges: [{ from: 3, to: 9 }] })).toEqual([
    { run: 'one', from: 3, to: 9 },
  ]);
});
