import type { Tile } from '@shared/views';
import { describe, expect, it } from 'vitest';
import { minimapMarks } from './minimap';
import { stepHead } from './step-fixtures';

const tile: Tile = { first: 1, n: 5, train: 1, mask: 2, undecided: 2, hints: 0, errors: 1, score: 40 };

describe('minimapMarks', () => {
  it('draws a short run from its heads, neighbours as one mark', () => {
    const mask = { value: 'mask', source: 'rule', reason: null, disagreement: false } as const;
    const train = { ...mask, value: 'train' } as const;
    const heads = [
      stepHead(1, { label: train }),
      stepHead(2, { label: mask }),
      stepHead(3, { label: mask, exitCode: 1 }),
      stepHead(4),
      stepHead(5, { score: 40, label: train }),
    ];
    const { marks, scores } = minimapMarks(5, [tile], (step) => heads[step - 1]);
    expect(marks).toEqual([
      { kind: 'mask', from: 2, to: 3 },
      { kind: 'error', from: 3, to: 3 },
      { kind: 'undecided', from: 4, to: 4 },
    ]);
    expect(scores).toEqual([{ step: 5, score: 40 }]);
  });

  it('draws from the tile while a head is missing', () => {
    const { marks } = minimapMarks(5, [tile], () => undefined);
    expect(marks.map((mark) => mark.kind)).toEqual(['mask', 'undecided', 'error']);
  });
});
