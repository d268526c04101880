import { type AnnotationOp, type AnnotationTarget, type Author, targetOf } from '@shared/annotations';
import { WaymarkError } from '@shared/errors';
import { adjudicateSteps, annotateSteps, DecisionTrail } from '../../runs/annotate-steps';
import { checkCorrection } from '../../runs/check-correction';
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

/** What people decide about steps: entries in the annotation log. Each resolves after COMMIT. */
export function labelHandlers(holder: WorkbenchHolder, author: () => Author): LabelHandlers {
  const writer = () => holder.require().store.writer;
  const reader = () => holder.require().store.reader;
  const trail = new DecisionTrail();
  const annotate = async (target: AnnotationTarget, op: AnnotationOp) => {
    const entry = await annotateSteps(holder.require().store, author(), target, op);
    trail.wrote(target.run, entry);
    return entry;
  };
  return {
    'labels.apply': ({ run, from, to, value, reason, dwellMs }) => {
      const target = { run, from: Math.min(from, to), to: Math.max(from, to) };
      const dwell = dwellMs === undefined ? {} : { dwellMs };
      return annotate(target, { op: 'label', value, reason, ...dwell });
    },
    'labels.applyTo': async ({ run, parts, value, reason }) => {
      const target = targetOf(run, parts);
      if (target === null || parts.some(({ from, to }) => from > to)) {
        throw new WaymarkError('bad_input', 'No step was named, or a range ends before it begins.');
      }
      return annotate(target, { op: 'label', value, reason });
    },
    'labels.similar': ({ run, step }) => reader().similarSteps(run, step),
    'labels.rest': ({ run, from, to }) =>
      reader().undecidedSteps(run, Math.min(from, to), Math.max(from, to)),
    'labels.adjudicate': async ({ run, from, to, value, reason }) => {
      const target = { run, from: Math.min(from, to), to: Math.max(from, to) };
      const entry = await adjudicateSteps(holder.require().store, author(), target, { value, reason });
      trail.wrote(run, entry);
      return entry;
    },
    'labels.correct': async ({ run, step, correction }) => {
      if (correction !== null) await checkCorrection(reader(), run, step, correction);
      return annotate({ run, from: step, to: step }, { op: 'correct', correction });
    },
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
