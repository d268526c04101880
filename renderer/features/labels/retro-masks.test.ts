import type { RetroMask } from '@shared/contract/ipc/labels';
import { beforeEach, describe, expect, it } from 'vitest';
import { settled } from '../../state/bridge-fixtures';
import { useFilter } from '../../state/rows/filter';
import { moveCursor, useTimeline } from '../../state/run/timeline';
import { useToasts } from '../../state/toasts';
import { en } from '../../text/en';
import { AnnotationStand, testRun } from './annotation-fixtures';
import { decide, useLabels } from './labels';
import {
  acceptRetroMask,
  askedAbout,
  dismissRetroMask,
  followRetroMasks,
  leaveTrimming,
  swapEnds,
  trimRetroMask,
  useRetroMasks,
} from './retro-masks';

const mask = (number: number, delivered: number, from: number, to: number): RetroMask => ({
  run: testRun,
  hint: `hint-${number}`,
  number,
  text: 'Not so',
  delivered,
  from,
  to,
  evidence: [{ step: from, words: ['so'] }],
});

describe('what hints contradict', () => {
  let stand: AnnotationStand;
  let open: RetroMask[];
  let stop: () => void;
  beforeEach(async () => {
    stop?.();
    stand = new AnnotationStand();
    open = [mask(1, 6, 3, 5), mask(2, 15, 9, 12)];
    Object.assign(stand.bridge.answers, {
      'labels.retroMasks': () => open,
      'labels.dismissRetroMask': () => undefined,
    });
    stop = followRetroMasks(testRun);
    await settled();
  });

  it('is asked about only near its steps or its hint', () => {
    const state = useRetroMasks.getState();
    const asked = [1, 4, 6, 9, 13, 18, 19].map((cursor) => askedAbout(state, cursor)?.number);
    expect(asked).toEqual([1, 1, 1, 2, 2, 2, undefined]);
    expect(askedAbout({ masks: [], trimming: null }, 1)).toBeUndefined();
  });

  it('is answered only where it is asked, and gone to from anywhere', async () => {
    moveCursor(20);
    acceptRetroMask();
    await dismissRetroMask();
    await settled();
    expect(stand.entries).toEqual([]);
    expect(useRetroMasks.getState().masks).toHaveLength(2);
    trimRetroMask();
    expect(useTimeline.getState()).toMatchObject({ anchor: 3, cursor: 5 });
  });

  it('is masked with words and an undo, also when it is one step', async () => {
    open = [mask(1, 6, 5, 5)];
    stand.bridge.send('labels.changed', { run: testRun, from: 1, to: 1 });
    await settled();
    moveCursor(4);
    acceptRetroMask();
    await settled();
    const [said] = useToasts.getState().toasts;
    expect(said?.say(en)).toBe('MASK on step 5');
    expect(said?.button?.command).toBe('label.undo');
  });

  it('does not mask a step that a filter hides: the range is shown first', async () => {
    useFilter.setState({ query: { error: true }, steps: [2, 4] });
    moveCursor(4);
    acceptRetroMask();
    await settled();
    expect(stand.entries).toEqual([]);
    expect(useFilter.getState().steps).toBeNull();
    expect(useTimeline.getState()).toMatchObject({ anchor: 3, cursor: 5 });
  });

  it('is masked as one entry with its reason, as it was proposed', async () => {
    moveCursor(4);
    acceptRetroMask();
    await settled();
    expect(stand.entries).toHaveLength(1);
    expect([2, 3, 5, 6].map((step) => stand.at(step))).toEqual([
      ...[[], ['mask contradicts-hint'], ['mask contradicts-hint'], []],
    ]);
    expect(useRetroMasks.getState().masks.map(({ number }) => number)).toEqual([2]);
  });

  it('is trimmed with the keys of any range, and then masked by MASK', async () => {
    moveCursor(10);
    trimRetroMask();
    expect(useTimeline.getState()).toMatchObject({ anchor: 9, cursor: 12 });
    moveCursor(11);
    swapEnds();
    expect(useTimeline.getState()).toMatchObject({ anchor: 11, cursor: 9 });
    moveCursor(10);
    expect(useRetroMasks.getState().trimming).toBe('hint-2');
    decide('mask');
    await settled();
    expect([9, 10, 11, 12].map((step) => stand.at(step).join())).toEqual([
      ...['', 'mask contradicts-hint', 'mask contradicts-hint', ''],
    ]);
  });

  it('is left with its reason when the range is left', () => {
    trimRetroMask();
    expect(useLabels.getState().reason).toBe('contradicts-hint');
    leaveTrimming();
    expect(useLabels.getState().reason).toBeNull();
    expect(useRetroMasks.getState().masks).toHaveLength(2);
  });

  it('is gone when it was dismissed, and comes again only when the engine says so', async () => {
    moveCursor(4);
    await dismissRetroMask();
    expect(stand.bridge.calls.at(-1)).toEqual(['labels.dismissRetroMask', { run: testRun, hint: 'hint-1' }]);
    expect(useRetroMasks.getState().masks.map(({ number }) => number)).toEqual([2]);
    expect(stand.entries).toEqual([]);
    stand.bridge.send('labels.changed', { run: 'another', from: 1, to: 1 });
    stand.bridge.send('labels.changed', { run: testRun, from: 1, to: 1 });
    await settled();
    expect(useRetroMasks.getState().masks.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('stays when it could not be saved', async () => {
    stand.refusal = { code: 'disk_full', message: 'The disk is full.' };
    moveCursor(4);
    acceptRetroMask();
    await settled();
    expect(useRetroMasks.getState().masks).toHaveLength(2);
  });
});
