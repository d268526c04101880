import { beforeEach, describe, expect, it } from 'vitest';
import { settled } from '../../state/bridge-fixtures';
import { noteGesture } from '../../state/gestures';
import { jumpCursor, moveCursor, toggleRange, useTimeline } from '../../state/run/timeline';
import { useToasts } from '../../state/toasts';
import { en } from '../../text/en';
import { AnnotationStand, testRun } from './annotation-fixtures';
import { toggleFlag } from './label-notes';
import { afterUndo, undo } from './label-undo';
import { decide, endLift, give, pendingFor, useLabels } from './labels';
import { giveKeepReason, giveReason } from './reasons';

let stand: AnnotationStand;
beforeEach(() => {
  stand = new AnnotationStand();
});
const cursor = () => useTimeline.getState().cursor;
const offers = () =>
  useToasts.getState().toasts.map(({ say, button }) => `${say(en)}: ${button?.command ?? ''}`);
const toasts = () => useToasts.getState().toasts.map(({ say }) => say(en));

describe('a reason and its decision', () => {
  it('are two keys and one entry when the reason comes first', async () => {
    giveReason(5);
    decide('mask');
    await settled();
    expect(stand.at(1)).toEqual(['mask blind-edit']);
    expect(stand.entries).toHaveLength(1);
    expect(useLabels.getState().reason).toBeNull();
    expect(cursor()).toBe(2);
  });

  it('are two keys when the decision comes first, and the decision is durable before', async () => {
    decide('mask');
    giveReason(5);
    expect(useLabels.getState().reason).toBeNull();
    await settled();
    expect(stand.at(1)).toEqual(['mask blind-edit']);
    expect(stand.entries.map(({ target, body }) => [target.from, body.op])).toEqual([
      [1, 'label'],
      [1, 'label'],
    ]);
    expect(cursor()).toBe(2);
    expect(toasts()).toEqual(['“Blind edit” is the reason for MASK on 1']);
  });

  it('to keep goes with TRAIN, before or after it, and with no MASK', async () => {
    giveKeepReason('keep-debugging');
    decide('train');
    decide('train');
    giveKeepReason('keep-backup');
    await settled();
    expect([stand.at(1), stand.at(2)]).toEqual([['train keep-debugging'], ['train keep-backup']]);
    giveKeepReason('keep-exploration');
    decide('mask');
    await settled();
    expect(stand.at(3)).toEqual(['mask']);
    // Step 3 is decided as MASK: what follows is for the step under the cursor.
    giveKeepReason('keep-exploration');
    expect(useLabels.getState().reasonFor).toMatchObject({ from: 4, to: 4 });
    await settled();
    expect(stand.at(3)).toEqual(['mask']);
  });

  it('go together with one undo, to what stood before the pair, and come back with one redo', async () => {
    decide('train');
    await settled();
    moveCursor(1);
    decide('mask');
    giveReason(7);
    await settled();
    expect(stand.at(1)).toEqual(['mask contradicts-hint']);
    await undo('undo');
    expect(stand.at(1)).toEqual(['train']);
    expect(toasts()).toEqual(['Undid MASK on step 1']);
    await undo('redo');
    expect(stand.at(1)).toEqual(['mask contradicts-hint']);
    await undo('undo');
    await undo('undo');
    expect(stand.at(1)).toEqual([]);
    await undo('redo');
    expect(stand.at(1)).toEqual(['train']);
  });

  it('go together also when the window that made them is gone', async () => {
    decide('mask');
    giveReason(2);
    await settled();
    useLabels.setState({ pending: [], reason: null, lift: null, last: null, open: null });
    await undo('undo');
    expect(stand.at(1)).toEqual([]);
  });

  it('of a range, or of pieces, are one thing as well', async () => {
    useTimeline.setState({ anchor: 1, cursor: 4 });
    decide('mask');
    giveReason(1);
    const parts = [
      { from: 6, to: 7 },
      { from: 9, to: 9 },
    ];
    await give({ run: testRun, parts, value: 'train', reason: null });
    giveReason(3);
    await settled();
    expect([stand.at(2), stand.at(7), stand.at(8)]).toEqual([
      ['mask ignores-script'],
      ['train null-or-error'],
      [],
    ]);
    await undo('undo');
    expect([stand.at(2), stand.at(7)]).toEqual([['mask ignores-script'], []]);
    await undo('undo');
    expect(stand.at(2)).toEqual([]);
  });

  it('are not mixed up with a later decision about the same step', async () => {
    decide('mask');
    await settled();
    decide('mask');
    moveCursor(1);
    await settled();
    giveReason(5);
    decide('mask');
    await settled();
    expect(stand.at(1)).toEqual(['mask blind-edit']);
    await undo('undo');
    expect(stand.at(1)).toEqual(['mask']);
  });

  it('belong to the next decision once the person has moved on', async () => {
    decide('mask');
    moveCursor(7);
    giveReason(5);
    expect(useLabels.getState().reason).toBe('blind-edit');
    decide('mask');
    await settled();
    expect([stand.at(1), stand.at(7)]).toEqual([['mask'], ['mask blind-edit']]);
  });

  it('belong together for two seconds; a digit after that is for the step under the cursor', async () => {
    noteGesture(1_000);
    decide('mask');
    noteGesture(3_001);
    giveReason(5);
    expect(useLabels.getState()).toMatchObject({ reason: 'blind-edit', reasonFor: { from: 2, to: 2 } });
    decide('mask');
    await settled();
    expect([stand.at(1), stand.at(2)]).toEqual([['mask'], ['mask blind-edit']]);
  });

  it('belong together also when a live run or the queue takes the cursor on', async () => {
    decide('mask');
    jumpCursor(9);
    giveReason(5);
    await settled();
    expect([stand.at(1), stand.at(9)]).toEqual([['mask blind-edit'], []]);
  });

  it('are apart when the reason was set on another step', async () => {
    giveReason(5);
    moveCursor(4);
    decide('mask');
    await settled();
    expect(stand.at(4)).toEqual(['mask']);
    moveCursor(7);
    giveReason(5);
    toggleRange();
    moveCursor(9);
    decide('mask');
    await settled();
    expect(stand.at(8)).toEqual(['mask blind-edit']);
  });

  it('belong to the next decision when the last one has a reason, or was undone, or something else came after', async () => {
    giveReason(5);
    decide('mask');
    giveReason(6);
    expect(useLabels.getState().reason).toBe('idle-compute');
    giveReason(6);
    expect(useLabels.getState().reason).toBeNull();
    decide('mask');
    await undo('undo');
    giveReason(6);
    expect(useLabels.getState().reason).toBe('idle-compute');
    giveReason(6);
    decide('mask');
    await toggleFlag();
    giveReason(6);
    expect(useLabels.getState().reason).toBe('idle-compute');
  });

  it('leave nothing behind when the decision is refused', async () => {
    stand.refusal = { code: 'disk_full', message: 'The disk is full.' };
    decide('mask');
    giveReason(5);
    stand.refusal = { code: 'disk_full', message: 'The disk is full.' };
    await settled();
    expect(stand.entries).toEqual([]);
    expect(useLabels.getState().pending).toEqual([]);
    expect(toasts()).toEqual(['Not saved: MASK on step 1. The disk is full.']);
  });
});

describe('an offer to undo', () => {
  it('goes with the next annotation, and does not come when one was made meanwhile', async () => {
    useTimeline.setState({ anchor: 1, cursor: 3 });
    decide('mask');
    await settled();
    expect(offers()).toEqual(['MASK on 3 steps, 1–3: label.undo']);
    decide('train');
    expect(offers()).toEqual([]);
    await settled();
    useTimeline.setState({ anchor: 6, cursor: 8 });
    decide('mask');
    decide('train');
    await settled();
    expect(offers()).toEqual(['MASK on 3 steps, 6–8: ']);
  });

  it('is about its own entry, whatever the same person said since in another process', async () => {
    useTimeline.setState({ anchor: 1, cursor: 3 });
    decide('mask');
    await settled();
    const button = useToasts.getState().toasts[0]?.button;
    stand.add({ from: 9, to: 9 }, { op: 'label', value: 'train', reason: null });
    expect(button).toMatchObject({ command: 'label.undo', entry: stand.entries[0]?.ulid });
    await undo('undo', stand.entries[0]?.ulid);
    expect([stand.at(2), stand.at(9)]).toEqual([[], ['train']]);
  });

  it('of a redo goes as well', async () => {
    decide('mask');
    await undo('undo');
    expect(offers()).toEqual(['Undid MASK on step 1: label.redo']);
    decide('train');
    await settled();
    expect(offers()).toEqual([]);
  });
});

describe('undo', () => {
  it('puts the cursor on what was undone, and a label key pressed meanwhile goes there', async () => {
    decide('mask');
    decide('mask');
    await settled();
    const undone = undo('undo');
    afterUndo(() => decide('train'));
    expect(cursor()).toBe(3);
    await undone;
    await settled();
    expect([stand.at(2), stand.at(3), cursor()]).toEqual([['train'], [], 3]);
  });

  it('leaves a cursor that was moved meanwhile, and refuses a label key until it is saved', async () => {
    decide('mask');
    await settled();
    const undone = undo('undo');
    moveCursor(6);
    afterUndo(() => decide('train'));
    expect(toasts()).toEqual(['Nothing was labelled: the undo is not saved yet. Press again.']);
    await undone;
    await settled();
    expect([stand.at(6), cursor()]).toEqual([[], 6]);
    afterUndo(() => decide('train'));
    await settled();
    expect(stand.at(6)).toEqual(['train']);
  });
});

describe('a decision', () => {
  it('about a step that a hard rule masks goes to the step it was asked about', async () => {
    useLabels.setState({ lift: { run: testRun, step: 2 } });
    moveCursor(9);
    endLift('It recovers well.');
    await settled();
    expect([stand.at(2), stand.at(9), cursor()]).toEqual([['train It recovers well.'], [], 9]);
  });

  it('is painted at once and decided when it is durable', async () => {
    decide('mask');
    expect(pendingFor(useLabels.getState().pending, 1)).toMatchObject({ value: 'mask', phase: 'pending' });
    await settled();
    expect(useLabels.getState().pending).toEqual([]);
    expect(stand.at(1)).toEqual(['mask']);
  });

  it('about pieces paints only those', async () => {
    const parts = [
      { from: 2, to: 3 },
      { from: 8, to: 8 },
    ];
    const kept = give({ run: testRun, parts, value: 'mask', reason: null });
    const { pending } = useLabels.getState();
    expect([2, 3, 4, 8, 9].map((step) => pendingFor(pending, step)?.value)).toEqual([
      ...['mask', 'mask', undefined, 'mask', undefined],
    ]);
    expect(await kept).toEqual(stand.entries[0]);
    expect(toasts()).toEqual(['MASK on 3 steps, 2–3, 8']);
  });

  it('that settles is an adjudication', async () => {
    await give({ run: testRun, parts: [{ from: 2, to: 2 }], value: 'train', reason: 'x', settles: true });
    expect(stand.at(2)).toEqual(['settled train x']);
  });
});
