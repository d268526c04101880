import { partsOf } from '@shared/contract/step-range';
import type { AnnotationEntry } from '@shared/log/annotations';
import { call } from '../../api';
import { useFilter } from '../../state/rows/filter';
import { moveCursor, useTimeline } from '../../state/run/timeline';
import { toast } from '../../state/toasts';
import { inOrder, undoableToast } from './annotation-queue';
import { sayEntry } from './label-words';
import { closeDecision } from './labels';

/**
 * Undoes what the person did last in the run, or brings it back, whole: the log says what belongs together, such as a decision and
 * the reason given right after it, or a range over a branch point. With `entry` it undoes what this one is part of.
 */
export async function undo(kind: 'undo' | 'redo', entry?: string): Promise<void> {
  const { run, cursor } = useTimeline.getState();
  if (run === null) return;
  closeDecision();
  if (underWay.count === 0) underWay.cursor = cursor;
  underWay.count += 1;
  const done = undoIn(run, kind, entry);
  underWay.last = done;
  try {
    await done;
  } finally {
    underWay.count -= 1;
  }
}

/** Undos that are not durable yet, and where the cursor was left meanwhile. */
const underWay = { count: 0, last: Promise.resolve(), cursor: 0 };

/**
 * Does what a label key asks for. While an undo is under way the key is about the step that comes back, so it waits; after the cursor
 * was moved meanwhile nobody knows which step is meant, and it is refused.
 */
export function afterUndo(work: () => void): void {
  if (underWay.count === 0) work();
  else if (useTimeline.getState().cursor !== underWay.cursor) toast((text) => text.labels.undoing);
  // An undo that fails has said so; what was to be done after it is dropped.
  else underWay.last.then(work, () => undefined);
}

async function undoIn(run: string, kind: 'undo' | 'redo', entry: string | undefined): Promise<void> {
  const kept = inOrder(() =>
    kind === 'undo' ? call('labels.undo', { run, entry }) : call('labels.redo', { run }),
  );
  const say = undoableToast(kind === 'undo' ? 'redo' : 'undo');
  const target = (await kept)?.target;
  if (target === undefined) {
    toast((text) => (kind === 'undo' ? text.labels.nothingToUndo : text.labels.nothingToRedo));
    return;
  }
  say((text) => (kind === 'undo' ? text.labels.undid : text.labels.redid)(sayEntry(text, target)));
  if (useTimeline.getState().run !== run) return;
  goTo(target);
  await useTimeline.getState().heads.refresh(target.target.from, target.target.to);
}

/** Puts the cursor on what was undone, unless the person has moved it since or the filter hides all of it. */
function goTo({ target }: AnnotationEntry): void {
  const { cursor, anchor } = useTimeline.getState();
  if (anchor !== null || cursor !== underWay.cursor) return;
  const parts = partsOf(target);
  const { steps } = useFilter.getState();
  const step =
    steps === null
      ? target.from
      : steps.find((each) => parts.some(({ from, to }) => from <= each && each <= to));
  if (step === undefined) return;
  moveCursor(step);
  underWay.cursor = useTimeline.getState().cursor;
}
