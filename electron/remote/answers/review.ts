import { queueClasses } from '@shared/labels/review/queue-views';
import { z } from 'zod';
import { at, count, listOf, nothing, number, person, ranges, run, step, text } from './parts';

const queueClass = z.enum(queueClasses);
const left = z.record(queueClass, count);
const share = number.nullable();
const agreement = z.object({ n: count, same: count, raw: share, kappa: share });
const streaks = listOf(z.object({ run, from: step, to: step, n: count }));

export const reviewAnswers = {
  'queue.view': z.object({
    runs: listOf(
      z.object({
        run,
        title: text,
        assigned: z.boolean(),
        total: count,
        decided: count,
        left,
        blind: count,
      }),
    ),
    total: count,
    decided: count,
    left,
  }),
  'queue.next': z
    .object({ run, step, class: queueClass, place: number.nullable(), of: number.nullable() })
    .nullable(),
  'queue.annotators': listOf(person),
  'queue.plan': z.object({
    shares: listOf(z.object({ to: person, run, blind: z.boolean(), second: z.boolean(), ranges })),
    people: listOf(z.object({ person, first: count, second: count, blind: count })),
    steps: count,
    units: count,
    overlapSteps: count,
    overlap: number,
    digest: text,
    already: count,
    titles: z.record(z.string(), text),
  }),
  'queue.assign': z.object({ batch: text, entries: count }),
  'queue.batches': listOf(
    z.object({
      batch: text,
      at,
      by: text,
      runs: listOf(run),
      steps: count,
      people: listOf(z.object({ person, steps: count, blind: count })),
    }),
  ),
  'queue.takeBack': z.object({ entries: count }),
  'queue.people': z.object({
    rows: listOf(
      z.object({
        person,
        run,
        title: text,
        assigned: count.nullable(),
        decided: count,
        left: count,
        agreement,
        machines: agreement,
        workMs: number,
        flags: count,
        disagreements: count,
        times: z.object({ decisions: count, medianMs: number, streaks }).nullable(),
      }),
    ),
    pairs: listOf(z.object({ run, first: person, second: person, agreement })),
    runs: listOf(z.object({ run, title: text, fleiss: share, meanKappa: share })),
  }),
  'review.dwell': nothing,
  'review.pace': z.object({
    decisions: count,
    medianMs: number.nullable(),
    classes: listOf(z.object({ class: queueClass, decisions: count, medianMs: number })),
    streaks,
  }),
};
