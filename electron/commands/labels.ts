import { WaymarkError } from '@shared/contract/errors';
import type { guidelineCommands, labelCommands, retroMaskCommands } from '@shared/contract/ipc/labels';
import type { ruleCommands } from '@shared/contract/ipc/rules';
import { partsOf, type StepRange, targetOf } from '@shared/contract/step-range';
import type { AnnotationEntry, AnnotationOp, AnnotationTarget, Author } from '@shared/log/annotations';
import { checkSettings, rulesOfRun } from '../label/run-rules';
import { adjudicateSteps } from '../review/adjudicate-steps';
import { checkCorrection } from '../review/check-correction';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

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

/** Decided steps as examples of the guideline's rules. */
export function guidelineHandlers(holder: WorkbenchHolder): HandlersOf<typeof guidelineCommands> {
  return {
    'guideline.examples': ({ run }) => holder.require().store.reader.decidedExamples(run),
  };
}

type Group = HandlersOf<typeof retroMaskCommands>;

/** What delivered hints contradict. Accepting is a label like any other; undoing that label brings the proposal back. */
export function retroMaskHandlers(holder: WorkbenchHolder, author: () => Author): Group {
  const store = () => holder.require().store;
  return {
    'labels.retroMasks': async ({ run }) => {
      const { reader } = store();
      const found = [];
      // One hint at a time, so that others are answered in between.
      for (const hint of await reader.openHints(run, author().uuid)) {
        const mask = await reader.retroMask(run, hint);
        if (mask !== null) found.push(mask);
      }
      return found;
    },
    'labels.dismissRetroMask': ({ run, hint }) => store().writer.dismissRetroMask(run, hint, author().uuid),
  };
}

type RuleHandlers = HandlersOf<typeof ruleCommands>;

/** The symbolic rules of a task. */
export function ruleHandlers(holder: WorkbenchHolder, author: () => Author): RuleHandlers {
  const store = () => holder.require().store;
  return {
    'rules.ofRun': ({ run }) => rulesOfRun(store().reader, run),
    'rules.preview': ({ runs, settings }) => store().reader.previewRules(runs, checkSettings(settings)),
    'rules.apply': ({ task, settings }) =>
      store().writer.setRules(task, settings === null ? null : checkSettings(settings), author()),
    'rules.progress': ({ task }) => store().reader.ruleProgress(task),
  };
}
