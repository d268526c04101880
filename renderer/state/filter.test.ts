import type { Tile } from '@shared/views';
import { describe, expect, it } from 'vitest';
import { matches, pagesToScan } from './filter';
import { stepHead } from './step-fixtures';

function tiles(steps: number, undecidedAt: readonly number[]): Tile[] {
  const all: Tile[] = [];
  for (let first = 1; first <= steps; first += 64) {
    const n = Math.min(64, steps - first + 1);
    const undecided = undecidedAt.filter((step) => step >= first && step < first + n).length;
    all.push({ first, n, train: n - undecided, mask: 0, undecided, hints: 0, errors: 0, score: null });
  }
  return all;
}

describe('matches', () => {
  it('wants finished steps without a value, or with two opinions', () => {
    const open = stepHead(1);
    const differing = stepHead(2, {
      label: { value: 'mask', source: 'human', reason: null, disagreement: true },
    });
    expect(matches('decide', open)).toBe(true);
    expect(matches('decide', stepHead(1, { done: false }))).toBe(false);
    expect(matches('decide', differing)).toBe(false);
    expect(matches('differ', differing)).toBe(true);
    expect(matches('all', differing)).toBe(true);
  });
});

describe('pagesToScan', () => {
  it('passes over pages whose tiles have nothing undecided', () => {
    expect(pagesToScan('decide', 0, 1000, tiles(1000, [3, 700]))).toEqual([0, 3]);
  });

  it('reads what the tiles do not reach', () => {
    expect(pagesToScan('decide', 0, 500, tiles(300, []))).toEqual([1, 2]);
    expect(pagesToScan('decide', 0, 100, [])).toEqual([0]);
  });

  it('reads everything for opinions that differ, from where it stopped', () => {
    expect(pagesToScan('differ', 0, 500, tiles(500, []))).toEqual([0, 1, 2]);
    expect(pagesToScan('differ', 450, 500, tiles(500, []))).toEqual([2]);
    expect(pagesToScan('differ', 500, 500, [])).toEqual([]);
  });
});
