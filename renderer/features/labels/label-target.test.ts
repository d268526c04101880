import type { StepQuery } from '@shared/contract/step-query';
import { beforeEach, describe, expect, it } from 'vitest';
import { settled } from '../../state/bridge-fixtures';
import { noteGesture } from '../../state/gestures';
import { setFilter, setPreset } from '../../state/rows/filter';
import { openGrouping, refreshFolding, toggleFold, toggleFolding } from '../../state/rows/grouping';
import { rowsNow } from '../../state/rows/rows';
import { keepCursorShown } from '../../state/rows/shown-cursor';
import { useSegments } from '../../state/run/segments';
import { moveCursor, openTimeline, pointAt, useTimeline } from '../../state/run/timeline';
import { useToasts } from '../../state/toasts';
import { useView } from '../../state/view';
import { en } from '../../text/en';
import { AnnotationStand, testRun } from './annotation-fixtures';
import { toggleFlag } from './label-notes';
import { labelTarget } from './label-target';
import { agree, decide } from './labels';
import { giveReason } from './reasons';

let stand: AnnotationStand;
let undecided: number[];
let stop: () => void = () => undefined;
const cursor = () => useTimeline.getState().cursor;
const said = () => useToasts.getState().toasts.map(({ say }) => say(en));
/** The person has looked long enough. */
const look = () => noteGesture(performance.now() + 1_000);

beforeEach(() => {
  stop();
  stand = new AnnotationStand(70);
  undecided = [20, 60];
  Object.assign(stand.bridge.answers, {
    'timeline.tiles': () => [],
    'timeline.matches': ({ query }: { query: StepQuery }) => ({
      steps: (query.marks === undefined && query.label?.[0] === 'undecided' ? undecided : []).filter(
        (step) => step >= (query.from ?? 1) && step <= (query.to ?? 1_000),
      ),
    }),
  });
  Object.assign(globalThis, { localStorage: { getItem: () => null, setItem: () => undefined } });
  useSegments.setState({ run: testRun, list: [] });
  openGrouping('task');
  useView.setState({ mode: 'review' });
  stop = keepCursorShown();
  look();
});

describe('the cursor', () => {
  it('goes to the nearest step that a new filter shows', async () => {
    moveCursor(42);
    setPreset('decide');
    await settled();
    expect(cursor()).toBe(60);
    moveCursor(30);
    setFilter({ error: true });
    await settled();
    expect(cursor()).toBe(30);
    setPreset('decide');
    await settled();
    expect(cursor()).toBe(20);
  });

  it('goes to the nearest step shown when its own is folded away, by all folds or by one', async () => {
    moveCursor(42);
    toggleFolding();
    await settled();
    expect(cursor()).toBe(60);
    moveCursor(42);
    expect([cursor(), rowsNow().shows(42)]).toEqual([42, true]);
    toggleFold(21, 59);
    expect(cursor()).toBe(60);
  });

  it('stays where it is read on while the list changes elsewhere', async () => {
    setPreset('decide');
    await settled();
    moveCursor(42);
    undecided = [20, 30, 60];
    stand.bridge.send('labels.changed', { run: testRun, from: 30, to: 30 });
    refreshFolding(30, 30);
    await settled();
    expect(cursor()).toBe(42);
  });
});

describe('a label key', () => {
  it('says why a step that the filter hides is not labelled, and offers to show it', async () => {
    setPreset('decide');
    await settled();
    look();
    moveCursor(42);
    for (const key of [() => decide('train'), agree, () => giveReason(5), () => void toggleFlag()]) {
      useToasts.setState({ toasts: [] });
      key();
      expect(said()).toEqual(['Step 42 is not labelled: the filter hides it']);
    }
    await settled();
    expect(stand.entries).toEqual([]);
    useToasts.getState().toasts[0]?.button?.run?.();
    decide('train');
    await settled();
    expect(stand.at(42)).toEqual(['train']);
  });

  it('does not reach a step that is folded away', async () => {
    undecided = [];
    moveCursor(42);
    toggleFolding();
    await settled();
    decide('mask');
    expect(said()).toEqual(['Step 42 is not labelled: it is folded away']);
    useToasts.getState().toasts[0]?.button?.run?.();
    expect(rowsNow().shows(42)).toBe(true);
  });

  it('takes of a range only what is shown, whether a filter or a fold hides the rest', async () => {
    undecided = [20, 22, 23, 60];
    setPreset('decide');
    await settled();
    look();
    useTimeline.setState({ cursor: 60, anchor: 20 });
    expect(labelTarget()?.parts).toEqual([
      { from: 20, to: 20 },
      { from: 22, to: 23 },
      { from: 60, to: 60 },
    ]);
    setFilter({});
    toggleFolding();
    await settled();
    useTimeline.setState({ cursor: 60, anchor: 20 });
    decide('mask');
    await settled();
    expect([stand.at(20), stand.at(22), stand.at(40)]).toEqual([['mask'], ['mask'], []]);
  });

  it('does nothing where no timeline is', () => {
    useView.setState({ mode: 'export' });
    decide('train');
    expect(said()).toEqual(['No step is labelled here. Go to Watch or Review first.']);
    expect(stand.entries).toEqual([]);
  });

  it('is refused right after a live run or a filter moved the cursor, until the person has had time to look', async () => {
    openTimeline(testRun, 1, 70);
    useTimeline.getState().heads.advance(2, 71);
    expect(cursor()).toBe(71);
    noteGesture(useTimeline.getState().jumpedAt ?? 0);
    decide('train');
    expect(said()).toEqual(['Step 71 is not labelled: it has only just appeared. Press again to label it.']);
    look();
    decide('train');
    await settled();
    expect([stand.at(71), stand.entries.length]).toEqual([['train'], 1]);
    moveCursor(42);
    setPreset('decide');
    await settled();
    noteGesture(useTimeline.getState().jumpedAt ?? 0);
    decide('train');
    expect(stand.entries).toHaveLength(1);
    pointAt(20, false);
    decide('train');
    await settled();
    expect(stand.at(20)).toEqual(['train']);
  });
});
