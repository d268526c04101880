import { overlapKinds } from '@shared/experiments/task-overlap';
import { hintCategory } from '@shared/log/outbox';
import { z } from 'zod';
import { at, count, listOf, number, run, step, text } from './parts';

const score = number.nullable();

export const experimentAnswers = {
  'experiments.overlap': listOf(
    z.object({
      task: text,
      title: text,
      other: text,
      otherTitle: text,
      kind: z.enum(overlapKinds),
      shared: number,
    }),
  ).nullable(),
  'experiments.list': listOf(
    z.object({ name: text, runs: count, arms: count, tasks: count, ended: count, createdAt: at }),
  ),
  'experiments.show': listOf(
    z.object({
      run,
      title: text,
      arm: text.nullable(),
      task: z.object({ id: text, title: text, domain: text.nullable(), hash: text }),
      model: text,
      taskHint: z.enum(['off', 'tool', 'upfront']),
      humanHints: z.boolean(),
      group: text.nullable(),
      sample: number.nullable(),
      seed: number.nullable(),
      branch: z.boolean(),
      status: text.nullable(),
      ended: z.boolean(),
      final: score,
      best: score,
      timeToBestMs: number.nullable(),
      workingMs: number,
      cost: number.nullable(),
      steps: count,
      scores: listOf(z.object({ ms: number, step, score: number })),
      hints: listOf(
        z.object({
          category: hintCategory,
          step,
          before: score,
          after: score,
          stepsToBetter: number.nullable(),
        }),
      ),
      hintWords: count,
      review: z.object({ ms: number, steps: count, labels: count }).nullable(),
      looks: z.object({ n: count, ms: number }),
    }),
  ),
};
