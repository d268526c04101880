import type { AnnotationOp, AnnotationTarget, Author } from '@shared/annotations';
import { WaymarkError } from '@shared/errors';
import { annotateSteps, DecisionTrail } from '../../runs/annotate-steps';
import type { WorkbenchHolder } from '../../workbench';
import type { Handlers } from '../register';

type LabelHandlers = Pick<
  Handlers,
  | 'labels.apply'
  | 'labels.applyTo'
  | 'labels.similar'
  | 'labels.rest'
  | 'labels.adjudicate'
  | 'labels.correct'
  | 'labels.comment'
  | 'labels.flag'
  | 'labels.undo'
  | 'labels.redo'
>;

async function notBuilt(): Promise<never> {
  throw new WaymarkError('bad_input', 'Not built yet.');
}

/** What people decide about steps: entries in the annotation log. Each resolves after COMMIT. */
export function labelHandlers(holder: WorkbenchHolder, author: () => Author): LabelHandlers {
  const writer = () => holder.require().store.writer;
  const trail = new DecisionTrail();
  const annotate = async (target: AnnotationTarget, op: AnnotationOp) => {
    const entry = await annotateSteps(holder.require().store, author(), target, op);
    trail.wrote(target.run, entry);
    return entry;
  };
  return {
    'labels.apply': ({ run, from, to, value, reason }) => {
      const target = { run, from: Math.min(from, to), to: Math.max(from, to) };
      return annotate(target, { op: 'label', value, reason });
    },
    'labels.applyTo': notBuilt,
    'labels.similar': notBuilt,
    'labels.rest': notBuilt,
    'labels.adjudicate': notBuilt,
    'labels.correct': notBuilt,
    'labels.comment': ({ run, step, text }) =>
      annotate({ run, from: step, to: step }, { op: 'comment', text }),
    'labels.flag': ({ run, step, on }) => annotate({ run, from: step, to: step }, { op: 'flag', on }),
    'labels.undo': async ({ run }) => {
      const done = await writer().undo(trail.undo(run), author());
      return done && { entry: done.entry, target: done.undid };
    },
    'labels.redo': async ({ run }) => {
      const done = await writer().redo(trail.redo(run), author());
      return done && { entry: done.entry, target: done.redid };
    },
  };
}
