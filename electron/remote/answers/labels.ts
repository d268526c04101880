import { stepMarks, whyCodes } from '@shared/labels/labels';
import { annotationEntrySchema, correctionSchema } from '@shared/log/annotations';
import { z } from 'zod';
import {
  at,
  count,
  labelValue,
  listOf,
  number,
  person,
  ranges,
  run,
  step,
  steps,
  text,
  texts,
} from './parts';

export const effectiveLabel = z.object({
  value: labelValue.nullable(),
  source: z.enum(['adjudication', 'human', 'rule', 'judge']).nullable(),
  reason: text.nullable(),
  disagreement: z.boolean(),
});

export const marks = listOf(z.enum(stepMarks));

export const labelStack = z.object({
  effective: effectiveLabel,
  why: z.object({ code: z.enum(whyCodes), params: z.record(z.string(), text) }),
  humans: listOf(
    z.object({
      entry: text,
      author: person,
      value: labelValue,
      reason: text.nullable(),
      adjudication: z.boolean(),
      at,
    }),
  ),
  rules: listOf(
    z.object({
      rule: text,
      version: number,
      effect: z.enum(['mask', 'keep']),
      hard: z.boolean(),
      why: text,
      steps,
    }),
  ),
  judges: listOf(
    z.object({
      value: z.enum(['mask', 'keep']),
      reason: text,
      judge: text,
      confidence: number.nullable(),
      why: text,
      steps,
      rubric: text,
      entry: text,
      at,
    }),
  ),
  corrections: listOf(z.object({ entry: text, author: person, correction: correctionSchema, at })),
  comments: listOf(z.object({ entry: text, author: person, text, at })),
  assigned: listOf(z.object({ entry: text, batch: text, to: person, blind: z.boolean() })),
  history: listOf(annotationEntrySchema),
  withheld: z.boolean(),
});

const entry = annotationEntrySchema;
const undone = z.object({ entry, target: entry }).nullable();

const preview = {
  parts: ranges,
  steps: count,
  left: count,
  now: z.object({ train: count, mask: count, undecided: count }),
  decided: count,
};

const retroMask = z.object({
  run,
  hint: text,
  number: count,
  text,
  delivered: step,
  from: step,
  to: step,
  evidence: listOf(z.object({ step, words: texts })),
});

export const labelAnswers = {
  'labels.apply': entry,
  'labels.applyTo': entry,
  'labels.similar': z.object({ ...preview, tool: text, rules: texts }),
  'labels.rest': z.object(preview),
  'labels.adjudicate': entry,
  'labels.correct': entry,
  'labels.retroMasks': listOf(retroMask),
  'labels.comment': entry,
  'labels.flag': entry,
  'labels.undo': undone,
  'labels.redo': undone,
  'step.labels': labelStack,
  'guideline.examples': listOf(z.object({ reason: text, steps, total: count })),
};
