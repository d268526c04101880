import { call } from '../api';
import { inOrder } from './annotation-queue';
import { undoButton } from './labels';
import { closeDecision } from './reasons';
import { useTimeline } from './timeline';
import { toast } from './toasts';

export async function toggleFlag(): Promise<void> {
  const { run, cursor, heads } = useTimeline.getState();
  if (run === null || cursor === 0) return;
  const on = heads.get(cursor)?.flagged !== true;
  closeDecision();
  await inOrder(() => call('labels.flag', { run, step: cursor, on }));
  toast((text) => (on ? text.labels.flagged(cursor) : text.labels.unflagged(cursor)), undoButton);
  await refreshStep(run, cursor);
}

export async function addComment(run: string, step: number, text: string): Promise<void> {
  closeDecision();
  await inOrder(() => call('labels.comment', { run, step, text }));
  toast((words) => words.labels.commented(step), undoButton);
  await refreshStep(run, step);
}

/** Reads a step's head again when its run is open. */
export async function refreshStep(run: string, step: number): Promise<void> {
  const timeline = useTimeline.getState();
  if (timeline.run === run) await timeline.heads.refresh(step, step);
}
