import type { Tile } from '@shared/contract/views';
import { describe, expect, it } from 'vitest';
import { stepHead } from '../../state/run/step-fixtures';
import { minimapMarks, stepAtShare } from './minimap';

const tile: Tile = { first: 1, n: 5, train: 1, mask: 2, undecided: 2, hints: 0, errors: 1, score: 40 };

describe('minimapMarks', () => {
  it('draws a short run from its heads, neighbours as one band', () => {
    const mask = { value: 'mask', source: 'rule', reason: null, disagreement: false } as const;
    const train = { ...mask, value: 'train' } as const;
    const heads = [
      stepHead(1, { label: train }),
      stepHead(2, { label: mask }),
      stepHead(3, { label: mask, exitCode: 1 }),
      stepHead(4),
      stepHead(5, { score: 40, label: train }),
    ];
    const marks = minimapMarks(5, [tile], (step) => heads[step - 1], 600);
    expect(marks).toEqual({
      bands: [
        { from: 2, to: 3, mask: 1, undecided: 0 },
        { from: 4, to: 4, mask: 0, undecided: 1 },
      ],
      hints: [],
      errors: [3],
      scores: [{ step: 5, score: 40 }],
    });
  });

  it('draws from the tile while a head is missing', () => {
    const { bands, errors } = minimapMarks(5, [tile], () => undefined, 600);
    expect(bands).toEqual([{ from: 1, to: 5, mask: 0.4, undecided: 0.4 }]);
    expect(errors).toEqual([3.5]);
  });

  it('adds up what one line of a long run stands for, and loses no step', () => {
    const steps = 174_500;
    const tiles: Tile[] = [];
    for (let first = 1; first <= steps; first += 64) {
      const n = Math.min(64, steps - first + 1);
      tiles.push({ first, n, train: n - 3, mask: 2, undecided: 1, hints: 0, errors: 0, score: null });
    }
    const { bands } = minimapMarks(steps, tiles, () => undefined, 700);
    expect(bands.length).toBeLessThanOrEqual(700);
    expect(bands.at(-1)?.to).toBe(steps);
    const masked = bands.reduce((sum, { from, to, mask }) => sum + (to - from + 1) * mask, 0);
    expect(Math.round(masked)).toBe(tiles.length * 2);
  });
});

describe('stepAtShare', () => {
  it('finds the step under the pointer, of short and of long runs', () => {
    expect(stepAtShare(0, 174_500, 700, 28)).toBe(1);
    expect(stepAtShare(0.5, 174_500, 700, 28)).toBe(87_251);
    expect(stepAtShare(1, 174_500, 700, 28)).toBe(174_500);
    expect(stepAtShare(0.1, 10, 700, 28)).toBe(3);
    expect(stepAtShare(0.9, 10, 700, 28)).toBe(10);
  });
});
