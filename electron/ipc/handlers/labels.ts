import type { Author } from '@shared/annotations';
import type { WorkbenchHolder } from '../../workbench';
import type { Handlers } from '../register';

type LabelHandlers = Pick<
  Handlers,
  'labels.apply' | 'labels.comment' | 'labels.flag' | 'labels.undo' | 'labels.redo'
>;

/** What people decide about steps: entries in the annotation log. Each resolves after COMMIT. */
export function labelHandlers(holder: WorkbenchHolder, author: () => Author): LabelHandlers {
  const writer = () => holder.require().store.writer;
  return {
    'labels.apply': ({ run, from, to, value, reason }) => {
      const target = { run, from: Math.min(from, to), to: Math.max(from, to) };
      return writer().annotate(author(), target, { op: 'label', value, reason });
    },
    'labels.comment': ({ run, step, text }) =>
      writer().annotate(author(), { run, from: step, to: step }, { op: 'comment', text }),
    'labels.flag': ({ run, step, on }) =>
      writer().annotate(author(), { run, from: step, to: step }, { op: 'flag', on }),
    'labels.undo': async ({ run }) => {
      const done = await writer().undo(run, author());
      return done && { entry: done.entry, target: done.undid };
    },
    'labels.redo': async ({ run }) => {
      const done = await writer().redo(run, author());
      return done && { entry: done.entry, target: done.redid };
    },
  };
}
