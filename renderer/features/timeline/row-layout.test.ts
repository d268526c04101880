import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ROW, RowLayout } from './row-layout';

describe('RowLayout', () => {
  it('agrees with adding up the heights one by one', () => {
    const changes = fc.array(fc.tuple(fc.nat(99), fc.nat(4)), { maxLength: 40 });
    fc.assert(
      fc.property(changes, fc.nat(6000), (sets, px) => {
        const layout = new RowLayout(100);
        const notes = new Array<number>(100).fill(0);
        for (const [index, lines] of sets) {
          const moved = layout.set(index, lines * ROW);
          expect(moved).toBe((lines - (notes[index] ?? 0)) * ROW);
          notes[index] = lines;
        }
        let top = 0;
        let under = 0;
        for (let index = 0; index < 100; index++) {
          expect(layout.top(index)).toBe(top);
          if (top <= px) under = index;
          top += ROW * (1 + (notes[index] ?? 0));
        }
        expect(layout.total).toBe(top);
        expect(layout.at(px)).toBe(under);
      }),
    );
  });

  it('answers for 350,000 rows without keeping them', () => {
    const layout = new RowLayout(350_000);
    layout.set(10, ROW);
    expect(layout.top(349_999)).toBe(349_999 * ROW + ROW);
    expect(layout.at(layout.top(123_456) + 1)).toBe(123_456);
  });

  it('clamps to the rows there are', () => {
    expect(new RowLayout(0).at(500)).toBe(0);
    expect(new RowLayout(3).at(9999)).toBe(2);
  });
});
