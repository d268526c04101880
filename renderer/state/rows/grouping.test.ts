import type { StepQuery } from '@shared/contract/step-query';
import { beforeEach, describe, expect, it } from 'vitest';
import { BridgeStand, settled } from '../bridge-fixtures';
import { newSteps } from '../run/follow';
import { useSegments } from '../run/segments';
import { moveCursor, openTimeline, useTimeline } from '../run/timeline';
import { keptLocally } from '../storage-fixtures';
import { setFilter } from './filter';
import {
  continueFolding,
  openGrouping,
  refreshFolding,
  toggleFold,
  toggleFolding,
  toggleGrouped,
  useGrouping,
} from './grouping';
import { rowsNow, shownBeside } from './rows';

const run = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const counts = { train: 0, mask: 0, undecided: 0, disagreement: 0 };
let undecided: number[];
let masked: number[];

beforeEach(() => {
  keptLocally();
  undecided = [6, 16];
  masked = [2, 3];
  new BridgeStand({
    'timeline.heads': () => [],
    'timeline.tiles': () => [],
    'timeline.matches': ({ query }: { query: StepQuery }) => ({
      steps: (query.label?.[0] === 'mask' ? masked : query.label === undefined ? [] : undecided).filter(
        (step) => step >= (query.from ?? 1) && step <= (query.to ?? 1_000),
      ),
    }),
  });
  openTimeline(null, 0, 0);
  openTimeline(run, 1, 20);
  setFilter({});
  useSegments.setState({
    run,
    list: [
      { segment: 1, firstStep: 1, lastStep: 10, summaryStep: null, carried: null, counts },
      { segment: 2, firstStep: 11, lastStep: 20, summaryStep: 10, carried: { from: 6, to: 9 }, counts },
    ],
  });
  openGrouping('task-a');
});

function kinds(): string[] {
  const rows = rowsNow();
  return Array.from({ length: rows.count }, (_, index) => {
    const row = rows.at(index);
    return row?.kind === 'step' ? String(row.step) : (row?.kind ?? '');
  });
}

describe('grouping', () => {
  it('is remembered for each task', () => {
    toggleGrouped();
    openGrouping('task-b');
    expect(useGrouping.getState().grouped).toBe(false);
    openGrouping('task-a');
    expect(useGrouping.getState()).toMatchObject({ grouped: true, folding: false });
  });

  it('folds decided steps once it is known which they are', async () => {
    toggleFolding();
    expect(kinds()).toHaveLength(20);
    await settled();
    expect(kinds()).toEqual(['fold', '6', 'fold', '16', 'fold']);
    expect(useGrouping.getState().facts.masked).toEqual([2, 3]);
    expect(shownBeside(6, 1)).toBe(16);
    toggleFolding();
    expect(kinds()).toHaveLength(20);
  });

  it('does not fold a step under the hand that has just decided it', async () => {
    toggleFolding();
    await settled();
    undecided = [16];
    masked = [2, 3, 6];
    refreshFolding(6, 6);
    await settled();
    expect(kinds()).toEqual(['fold', '6', 'fold', '16', 'fold']);
    expect(useGrouping.getState().facts.masked).toEqual([2, 3, 6]);
  });

  it('takes a mask out of the count when it was lifted', async () => {
    toggleFolding();
    await settled();
    masked = [3];
    refreshFolding(1, 2);
    await settled();
    expect(useGrouping.getState().facts.masked).toEqual([3]);
  });

  it('follows the tail in groups, and leaves a reader elsewhere alone', async () => {
    toggleGrouped();
    toggleFolding();
    await settled();
    const grow = (steps: number): void => {
      useTimeline.getState().heads.advance(steps, steps);
      continueFolding();
    };
    grow(22);
    expect(kinds().slice(-2)).toEqual(['21', '22']);
    expect(useTimeline.getState().cursor).toBe(22);
    moveCursor(6);
    grow(64);
    await settled();
    const { cursor, follow, steps } = useTimeline.getState();
    expect(cursor).toBe(6);
    expect(newSteps(follow, steps)).toBe(42);
  });

  it('opens one fold', async () => {
    toggleFolding();
    await settled();
    toggleFold(7, 15);
    expect(kinds().slice(2, 5)).toEqual(['fold', '7', '8']);
    expect(rowsNow().indexOf(8)).toBe(4);
  });
});
