import type { BranchPlan, LineageNode } from '@shared/contract/checkpoint-views';
import { describe, expect, it } from 'vitest';
import { BridgeStand } from '../../state/bridge-fixtures';
import { useRuns } from '../../state/run/runs';
import { createBranch, emptyDraft, lineageLines, moveOnLineage, placesOf } from './branches';

function node(run: string, steps: number, parent: LineageNode['parent'] = null): LineageNode {
  return { run, title: run, parent, steps, state: 'finished', best: null, checkpoints: [] };
}
const child = (run: string, steps: number, of: string, step: number) =>
  node(run, steps, { run: of, step, gone: false });

describe('the lineage of a run', () => {
  const nodes = [
    { ...node('root', 400), checkpoints: [{ checkpoint: 'c', step: 100 }] },
    child('late', 390, 'root', 300),
    child('early', 260, 'root', 120),
    child('grandchild', 250, 'early', 200),
  ];
  const lines = lineageLines({ nodes });

  it('stands in rows, each run before its branches, in the order in which they leave', () => {
    expect(
      lines.map(({ node: { run }, depth, from, to, parentRow }) => [run, depth, from, to, parentRow]),
    ).toEqual([
      ['root', 0, 0, 400, null],
      ['early', 1, 120, 260, 0],
      ['grandchild', 2, 200, 250, 1],
      ['late', 1, 300, 390, 0],
    ]);
  });

  it('shows a run whose parent is gone as a root that begins at its step', () => {
    const [line] = lineageLines({ nodes: [node('orphan', 50, { run: 'x', step: 20, gone: true })] });
    expect(line).toMatchObject({ depth: 0, from: 20, to: 50, parentRow: null });
  });

  it('is walked with the arrow keys', () => {
    const [root] = lines;
    expect(root === undefined ? [] : placesOf(root, lines)).toEqual([100, 120, 300, 400]);
    expect(moveOnLineage(lines, { row: 0, step: 400 }, 'left')).toEqual({ row: 0, step: 300 });
    expect(moveOnLineage(lines, { row: 0, step: 120 }, 'down')).toEqual({ row: 1, step: 200 });
    expect(moveOnLineage(lines, { row: 0, step: 100 }, 'left')).toEqual({ row: 0, step: 100 });
    expect(moveOnLineage(lines, { row: 3, step: 390 }, 'down')).toEqual({ row: 3, step: 390 });
  });
});

it('a branch is asked for with what was chosen, and opened', async () => {
  const stand = new BridgeStand({
    'branches.create': () => ({ run: 'new' }),
    'runs.summary': () => ({ id: 'new', title: 'Again' }),
  });
  const plan: BranchPlan = {
    run: 'root',
    step: 12,
    checkpoint: null,
    stepsAfter: 12,
    contextSteps: 12,
    contextTokens: 9000,
    hints: [{ id: 'h1', number: 1, step: 3, text: 'x' }],
    notRestarted: [],
    maxCost: null,
  };
  const draft = { ...emptyDraft(' Again '), drop: new Set(['h1', 'gone']), add: '  Try B ' };
  await createBranch(plan, draft);
  expect(stand.calls[0]).toEqual([
    'branches.create',
    {
      run: 'root',
      step: 12,
      title: 'Again',
      endpoint: null,
      drop: ['h1'],
      add: ['Try B'],
      start: true,
    },
  ]);
  expect(useRuns.getState().current).toBe('new');
});
