import { call } from '../../api';
import { useTimeline } from '../../state/run/timeline';
import { inOrder, undoableToast } from './annotation-queue';
import { labelTarget } from './label-target';
import { closeDecision } from './labels';

export async function toggleFlag(): Promise<void> {
  const target = labelTarget();
  if (target === null) return;
  const { run } = target;
  const { cursor, heads } = useTimeline.getState();
  const on = heads.get(cursor)?.flagged !== true;
  closeDecision();
  const kept = inOrder(() => call('labels.flag', { run, step: cursor, on }));
  const say = undoableToast();
  const entry = await kept;
  say((text) => (on ? text.labels.flagged(cursor) : text.labels.unflagged(cursor)), entry);
  await refreshStep(run, cursor);
}

export async function addComment(run: string, step: number, text: string): Promise<void> {
  closeDecision();
  const kept = inOrder(() => call('labels.comment', { run, step, text }));
  const say = undoableToast();
  const entry = await kept;
  say((words) => words.labels.commented(step), entry);
  await refreshStep(run, step);
}

/** Reads a step's head again when its run is open. */
export async function refreshStep(run: string, step: number): Promise<void> {
  const timeline = useTimeline.getState();
  if (timeline.run === run) await timeline.heads.refresh(step, step);
}
