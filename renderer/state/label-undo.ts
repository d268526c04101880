import { standingIds } from '@shared/annotation-undo';
import type { AnnotationEntry } from '@shared/annotations';
import { addsReason, completes, wantsReason } from '@shared/reason-pair';
import { call } from '../api';
import { inOrder } from './annotation-queue';
import { sayEntry } from './label-words';
import { closeDecision } from './reasons';
import { useTimeline } from './timeline';
import { toast } from './toasts';

/**
 * Takes back the person's last annotation of the run, or brings it back. A decision and the reason given right after it are two
 * entries and one thing to a person: they go and come together. What belongs together is told from the log alone, so that it holds
 * after a restart and for entries made elsewhere.
 */
export async function undo(kind: 'undo' | 'redo'): Promise<void> {
  const { run } = useTimeline.getState();
  if (run === null) return;
  closeDecision();
  const target = await inOrder(() => (kind === 'undo' ? takeBack(run) : bringBack(run)));
  if (target === null) {
    toast((text) => (kind === 'undo' ? text.labels.nothingToUndo : text.labels.nothingToRedo));
    return;
  }
  toast(
    (text) => (kind === 'undo' ? text.labels.undid : text.labels.redid)(sayEntry(text, target)),
    kind === 'undo'
      ? { say: (text) => text.labels.redo, command: 'label.redo' }
      : { say: (text) => text.labels.undo, command: 'label.undo' },
  );
  if (useTimeline.getState().run !== run) return;
  await useTimeline.getState().heads.refresh(target.target.from, target.target.to);
}

async function takeBack(run: string): Promise<AnnotationEntry | null> {
  const undone = (await call('labels.undo', { run }))?.target ?? null;
  if (undone === null || !completes(undone)) return undone;
  const { history, standing } = await entriesBeside(undone);
  const before = history.find((entry) => standing.has(entry.ulid) && addsReason(undone, entry));
  if (before === undefined) return undone;
  const next = await call('labels.undo', { run });
  // Another window or the command line said something in between: that stays.
  if (next !== null && next.target.ulid !== before.ulid) await call('labels.redo', { run });
  return undone;
}

async function bringBack(run: string): Promise<AnnotationEntry | null> {
  const back = (await call('labels.redo', { run }))?.target ?? null;
  if (back === null || !wantsReason(back)) return back;
  const { history, standing } = await entriesBeside(back);
  const after = history.find((entry) => !standing.has(entry.ulid) && addsReason(entry, back));
  if (after === undefined) return back;
  const next = await call('labels.redo', { run });
  if (next !== null && next.target.ulid !== after.ulid) await call('labels.undo', { run });
  return next === null ? back : after;
}

async function entriesBeside({ target }: AnnotationEntry) {
  const { history } = await call('step.labels', { run: target.run, step: target.from });
  return { history, standing: standingIds(history) };
}
