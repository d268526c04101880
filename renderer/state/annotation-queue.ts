import { create } from 'zustand';
import { call } from '../api';
import { useTimeline } from './timeline';
import { toast } from './toasts';
import { useWorkspace } from './workspace';

/** Annotations sent and not yet acknowledged, of every kind. */
export const useUnsaved = create<{ unsaved: number }>()(() => ({ unsaved: 0 }));

let tail: Promise<unknown> = Promise.resolve();

/** Sends annotations one after another, so that an undo never overtakes the label it undoes. */
export function inOrder<T>(work: () => Promise<T>): Promise<T> {
  useUnsaved.setState(({ unsaved }) => ({ unsaved: unsaved + 1 }));
  const done = tail.then(work);
  tail = done
    .catch(() => undefined) // the caller handles it; the queue goes on
    .finally(() => useUnsaved.setState(({ unsaved }) => ({ unsaved: unsaved - 1 })));
  return done;
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
