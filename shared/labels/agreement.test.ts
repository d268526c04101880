import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleissKappa, PairTable, shareOf } from './agreement';

function tableOf(cells: readonly [string, string, number][]): PairTable {
  const table = new PairTable();
  for (const [one, other, count] of cells)
    for (let index = 0; index < count; index += 1) table.add(one, other);
  return table;
}

describe('a share', () => {
  it('has the interval of Wilson', () => {
    // Worked out by hand: 81 of 263.
    const found = shareOf(81, 263);
    expect(found).toMatchObject({ n: 263 });
    expect(found?.value).toBeCloseTo(0.308, 4);
    expect(found?.low).toBeCloseTo(0.2553, 4);
    expect(found?.high).toBeCloseTo(0.3662, 4);
  });

  it('of nothing is none, and holds its value between 0 and 1', () => {
    expect(shareOf(0, 0)).toBeNull();
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (part, rest) => {
        fc.pre(part + rest > 0);
        const { value, low, high } = shareOf(part, part + rest) ?? { value: -1, low: 0, high: 0 };
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(value + 1e-12);
        expect(high).toBeGreaterThanOrEqual(value - 1e-12);
      }),
    );
  });
});

describe('agreement of two', () => {
  it('is what Cohen’s table of fifty grants gives', () => {
    // Both yes 20, yes and no 5, no and yes 10, both no 15: observed 0.7, by chance 0.5.
    const table = tableOf([
      ['yes', 'yes', 20],
      ['yes', 'no', 5],
      ['no', 'yes', 10],
      ['no', 'no', 15],
    ]);
    expect(table.raw()?.value).toBeCloseTo(0.7, 12);
    expect(table.kappa()).toMatchObject({ n: 50 });
    expect(table.kappa()?.value).toBeCloseTo(0.4, 12);
    expect(table.kappa()?.low).toBeCloseTo(0.146, 3);
    expect(table.kappa()?.high).toBeCloseTo(0.654, 3);
    expect(table.count('no', 'yes')).toBe(10);
  });

  it('is complete where they are the same, none by chance, and unknown where nothing varies', () => {
    expect(
      tableOf([
        ['a', 'a', 3],
        ['b', 'b', 4],
      ]).kappa()?.value,
    ).toBe(1);
    expect(
      tableOf([
        ['a', 'a', 5],
        ['a', 'b', 5],
        ['b', 'a', 5],
        ['b', 'b', 5],
      ]).kappa()?.value,
    ).toBe(0);
    // Seven that agree are not as sure as seven thousand: by Wilson 64.6 % at least, of which 51 % by chance.
    const sevens = (times: number) =>
      tableOf([
        ['a', 'a', 3 * times],
        ['b', 'b', 4 * times],
      ]).kappa();
    expect(sevens(1)?.low).toBeCloseTo(0.277, 3);
    expect(sevens(1_000)?.low).toBeGreaterThan(0.99);
    expect(sevens(1)?.high).toBe(1);
    expect(tableOf([['a', 'a', 9]]).kappa()).toBeNull();
    expect(tableOf([]).kappa()).toBeNull();
    expect(tableOf([]).raw()).toBeNull();
  });
});

describe('agreement of many', () => {
  it('is what Fleiss’ table of ten subjects by fourteen raters gives', () => {
    const items = [
      [0, 0, 0, 0, 14],
      [0, 2, 6, 4, 2],
      [0, 0, 3, 5, 6],
      [0, 3, 9, 2, 0],
      [2, 2, 8, 1, 1],
      [7, 7, 0, 0, 0],
      [3, 2, 6, 3, 0],
      [2, 5, 3, 2, 2],
      [6, 5, 2, 1, 0],
      [0, 2, 2, 3, 7],
    ];
    expect(fleissKappa(items)?.value).toBeCloseTo(0.21, 3);
    expect(fleissKappa(items)).toMatchObject({ n: 10 });
  });

  it('leaves out items of one rating, and is unknown without any other', () => {
    expect(
      fleissKappa([
        [1, 0],
        [0, 1],
      ]),
    ).toBeNull();
    expect(fleissKappa([])).toBeNull();
    expect(
      fleissKappa([
        [2, 0],
        [3, 0],
      ]),
    ).toBeNull();
    const two = fleissKappa([
      [2, 0],
      [0, 2],
      [1, 0],
    ]);
    expect(two).toMatchObject({ value: 1, n: 2 });
  });

  it('is not sure of itself because a few items are all alike', () => {
    const alike = [
      [3, 0],
      [3, 0],
      [0, 3],
      [0, 3],
    ];
    const found = fleissKappa(alike);
    expect(found).toMatchObject({ value: 1, n: 4 });
    expect(found?.high).toBeCloseTo(1, 9);
    // Wilson's 51 % of four, of which half is by chance.
    expect(found?.low).toBeCloseTo(0.02, 2);
  });

  it('does not depend on the order of items', () => {
    const counts = fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(counts, (items) => {
        const one = fleissKappa(items);
        const other = fleissKappa([...items].reverse());
        expect(other?.value ?? -9).toBeCloseTo(one?.value ?? -9, 9);
        expect(other?.low ?? -9).toBeCloseTo(one?.low ?? -9, 9);
      }),
    );
  });
});
