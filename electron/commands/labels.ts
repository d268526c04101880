import { WaymarkError } from '@shared/contract/errors';
import type { labelCommands } from '@shared/contract/ipc/labels';
import { partsOf, type StepRange, targetOf } from '@shared/contract/step-range';
import type { AnnotationEntry, AnnotationOp, AnnotationTarget, Author } from '@shared/log/annotations';
import { adjudicateSteps } from '../review/adjudicate-steps';
import { checkCorrection } from '../review/check-correction';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './handlers';

type LabelHandlers = HandlersOf<typeof labelCommands>;

/** What people decide about steps: entries in the annotation log. Each resolves after COMMIT. */
export function labelHandlers(holder: WorkbenchHolder, author: () => Author): LabelHandlers {
  const writer = () => holder.require().store.writer;
  const reader = () => holder.require().store.reader;
  const annotate = (target: AnnotationTarget, op: AnnotationOp) => writer().annotate(author(), target, op);
  return {
    'labels.apply': ({ run, from, to, value, reason, dwellMs }) => {
      const target = { run, from: Math.min(from, to), to: Math.max(from, to) };
      const dwell = dwellMs === undefined ? {} : { dwellMs };
      return annotate(target, { op: 'label', value, reason, ...dwell });
    },
    'labels.applyTo': async ({ run, parts, value, reason }) => {
      return annotate(scattered(run, parts), { op: 'label', value, reason });
    },
    'labels.similar': ({ run, step }) => reader().similarSteps(run, step),
    'labels.rest': ({ run, from, to }) =>
      reader().undecidedSteps(run, Math.min(from, to), Math.max(from, to)),
    'labels.adjudicate': async ({ run, from, to, parts, value, reason }) => {
      const target =
        parts === undefined
          ? { run, from: Math.min(from, to), to: Math.max(from, to) }
          : scattered(run, parts);
      return adjudicateSteps(holder.require().store, author(), target, { value, reason });
    },
    'labels.correct': async ({ run, step, correction }) => {
      if (correction !== null) await checkCorrection(reader(), run, step, correction);
      return annotate({ run, from: step, to: step }, { op: 'correct', correction });
    },
    'labels.comment': ({ run, step, text }) =>
      annotate({ run, from: step, to: step }, { op: 'comment', text }),
    'labels.flag': ({ run, step, on }) => annotate({ run, from: step, to: step }, { op: 'flag', on }),
    'labels.undo': async ({ run, entry }) => {
      const done = await writer().undo(run, author(), entry);
      return done && { entry: done.entry, target: asOne(run, done.undid, done.unit) };
    },
    'labels.redo': async ({ run }) => {
      const done = await writer().redo(run, author());
      return done && { entry: done.entry, target: asOne(run, done.redid, done.unit) };
    },
  };
}

function scattered(run: string, parts: readonly StepRange[]): AnnotationTarget {
  const target = targetOf(run, parts);
  if (target === null || parts.some(({ from, to }) => from > to)) {
    throw new WaymarkError('bad_input', 'No step was named, or a range ends before it begins.');
  }
  return target;
}

/** The last entry of a gesture, speaking of all its steps as the run shows them, whichever run they were made in. */
function asOne(run: string, last: AnnotationEntry, unit: readonly AnnotationEntry[]): AnnotationEntry {
  const target = targetOf(
    run,
    unit.flatMap((entry) => partsOf(entry.target)),
  );
  return { ...last, target: target ?? last.target, supersedes: [] };
}
