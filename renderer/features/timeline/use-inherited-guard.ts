import { useCommand } from '../../state/commands';
import { useRuns } from '../../state/runs';
import { useTimeline } from '../../state/timeline';
import { toast } from '../../state/toasts';

/**
 * A step that a branch took over is labelled in the run that made it, once for both. The keys say so instead of
 * labelling it here.
 */
export function useInheritedGuard(): void {
  const refuse = (): boolean => {
    const { heads, cursor, anchor } = useTimeline.getState();
    const own = heads.get(Math.max(cursor, anchor ?? cursor))?.inheritedFrom ?? null;
    const other = heads.get(Math.min(cursor, anchor ?? cursor))?.inheritedFrom ?? null;
    const parent = other ?? own;
    if (parent === null) return false;
    const title = useRuns.getState().list.find((run) => run.id === parent)?.title ?? parent.slice(-6);
    toast((text) => text.timeline.labelThere(title));
    return true;
  };
  useCommand('label.train', refuse);
  useCommand('label.mask', refuse);
  useCommand('label.clear', refuse);
  useCommand('label.agree', refuse);
  useCommand('label.repeat', refuse);
  useCommand('label.flag', refuse);
  useCommand('label.comment', refuse);
}
