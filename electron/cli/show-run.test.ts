import { expect, test } from 'vitest';
import { protectedLines } from './show-run';

test('a run says how many of its evaluations found protected files changed, and which', () => {
  expect(protectedLines({})).toEqual([]);
  const protectedChanged = { evaluations: 2, paths: ['task/a.py', 'task/b.py'] };
  expect(protectedLines({ protectedChanged })).toEqual([
    'Changed  protected files, found by 2 evaluations: task/a.py, task/b.py',
  ]);
});
