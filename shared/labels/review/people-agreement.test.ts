import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LabelValue } from '../../log/annotations';
import { PairTable } from '../agreement';
import { agreementOf, kappaOfAll, meanKappa } from './people-agreement';

const value = fc.constantFrom<LabelValue>('train', 'mask');

/** By the definition, decision by decision: observed share against the share two strangers with these habits would reach. */
function cohen(pairs: readonly [LabelValue, LabelValue][]): number | null {
  const n = pairs.length;
  const share = (who: 0 | 1, what: LabelValue) => pairs.filter((pair) => pair[who] === what).length / n;
  const observed = pairs.filter(([a, b]) => a === b).length / n;
  const expected = share(0, 'train') * share(1, 'train') + share(0, 'mask') * share(1, 'mask');
  return n < 2 || 1 - expected < 1e-12 ? null : (observed - expected) / (1 - expected);
}

/** By the definition, pair by pair of people. */
function fleiss(steps: readonly LabelValue[][]): number | null {
  const rated = steps.filter((said) => said.length >= 2);
  const all = rated.flat();
  const share = all.filter((said) => said === 'train').length / Math.max(1, all.length);
  const expected = share ** 2 + (1 - share) ** 2;
  if (rated.length < 2 || 1 - expected < 1e-12) return null;
  const agreeing = rated.map((said) => {
    let equal = 0;
    let pairs = 0;
    for (let i = 0; i < said.length; i += 1) {
      for (let j = 0; j < said.length; j += 1) {
        if (i === j) continue;
        pairs += 1;
        if (said[i] === said[j]) equal += 1;
      }
    }
    return equal / pairs;
  });
  const observed = agreeing.reduce((sum, each) => sum + each, 0) / rated.length;
  return (observed - expected) / (1 - expected);
}

function close(found: number | null, wanted: number | null): void {
  if (wanted === null || found === null) expect(found).toBe(wanted);
  else expect(found).toBeCloseTo(wanted, 9);
}

test('kappa of two people is the one of the definition, and does not depend on who is first', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value), { maxLength: 40 }), (pairs) => {
      const table = new PairTable();
      const turned = new PairTable();
      for (const [a, b] of pairs) {
        table.add(a, b);
        turned.add(b, a);
      }
      const found = agreementOf(table);
      expect(found.n).toBe(pairs.length);
      expect(found.raw).toBe(
        pairs.length === 0 ? null : pairs.filter(([a, b]) => a === b).length / pairs.length,
      );
      close(found.kappa, cohen(pairs));
      close(agreementOf(turned).kappa, found.kappa);
      if (found.kappa !== null) expect(found.kappa).toBeLessThanOrEqual(1);
    }),
    { numRuns: 500 },
  );
});

function tableOf(...cells: readonly [LabelValue, LabelValue, number][]): PairTable {
  const table = new PairTable();
  for (const [one, other, steps] of cells) table.add(one, other, steps);
  return table;
}

test('a worked example: 25 and 10 equal of 50 make 0.4', () => {
  const table = tableOf(
    ['train', 'train', 20],
    ['train', 'mask', 5],
    ['mask', 'train', 10],
    ['mask', 'mask', 15],
  );
  expect(agreementOf(table)).toEqual({ n: 50, same: 35, raw: 0.7, kappa: 0.4 });
});

test('without enough to compare there is no kappa', () => {
  expect(agreementOf(tableOf())).toEqual({ n: 0, same: 0, raw: null, kappa: null });
  expect(agreementOf(tableOf(['train', 'train', 1]))).toMatchObject({ raw: 1, kappa: null });
  expect(agreementOf(tableOf(['train', 'train', 900]))).toMatchObject({ raw: 1, kappa: null });
  expect(agreementOf(tableOf(['train', 'train', 1], ['mask', 'mask', 1]))).toMatchObject({
    raw: 1,
    kappa: 1,
  });
  expect(agreementOf(tableOf(['train', 'mask', 1], ['mask', 'train', 1]))).toMatchObject({
    raw: 0,
    kappa: -1,
  });
});

test("several people: Fleiss' kappa by the definition, runs of equal steps counted at once", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ said: fc.array(value, { maxLength: 4 }), steps: fc.integer({ min: 1, max: 3 }) }),
        {
          maxLength: 12,
        },
      ),
      (pieces) => {
        const ratings = pieces.map(({ said, steps }) => ({
          train: said.filter((each) => each === 'train').length,
          mask: said.filter((each) => each === 'mask').length,
          steps,
        }));
        const single = pieces.flatMap(({ said, steps }) => Array.from({ length: steps }, () => said));
        close(kappaOfAll(ratings), fleiss(single));
      },
    ),
    { numRuns: 500 },
  );
});

test('pairs without a value do not count in the mean', () => {
  const pair = (kappa: number | null) => ({ n: 9, same: 9, raw: 1, kappa });
  expect(meanKappa([pair(null)])).toBeNull();
  expect(meanKappa([pair(0.5), pair(null), pair(0.7)])).toBeCloseTo(0.6);
});
