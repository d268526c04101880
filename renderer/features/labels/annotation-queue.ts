import type { AnnotationEntry } from '@shared/log/annotations';
import { create } from 'zustand';
import { call } from '../../api';
import { useTimeline } from '../../state/run/timeline';
import { type Toast, toast, withdrawUndo } from '../../state/toasts';
import { useWorkspace } from '../../state/workspace';

/** Annotations sent and not yet acknowledged, of every kind. */
export const useUnsaved = create<{ unsaved: number }>()(() => ({ unsaved: 0 }));

let tail: Promise<unknown> = Promise.resolve();

let newest = 0;

/** Sends annotations one after another, so that an undo never overtakes the label it undoes. */
export function inOrder<T>(work: () => Promise<T>): Promise<T> {
  newest += 1;
  withdrawUndo();
  useUnsaved.setState(({ unsaved }) => ({ unsaved: unsaved + 1 }));
  const done = tail.then(work);
  tail = done
    .catch(() => undefined) // the caller handles it; the queue goes on
    .finally(() => useUnsaved.setState(({ unsaved }) => ({ unsaved: unsaved - 1 })));
  return done;
}

/**
 * Says what the annotation sent last did, once it is durable; offers to undo or redo it unless another one was sent meanwhile.
 * An undo names the entry: the same person may have said something later in another process.
 */
export function undoableToast(
  offer: 'undo' | 'redo' = 'undo',
): (say: Toast['say'], entry?: AnnotationEntry) => void {
  const mine = newest;
  return (say, entry) =>
    toast(
      say,
      mine === newest
        ? { say: (text) => text.labels[offer], command: `label.${offer}`, entry: entry?.ulid }
        : undefined,
    );
}

/** Resolves when everything sent so far is on the disk, or was refused. */
export async function whenSaved(): Promise<void> {
  await tail;
}

/** Waits until everything sent so far is on the disk, and says up to where the run is saved. */
export async function sayWhenSaved(): Promise<void> {
  const { run } = useTimeline.getState();
  await whenSaved();
  if (useWorkspace.getState().problem !== null) {
    toast((text) => text.frame.notSaving);
    return;
  }
  if (run === null) return;
  const { seq } = await call('runs.summary', { run });
  toast((text) => text.frame.saved(text.common.format.count(seq)));
}
