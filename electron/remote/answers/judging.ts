import { batchStates, judgedSteps } from '@shared/judging/batch';
import { rubricKinds } from '@shared/judging/rubric-text';
import { z } from 'zod';
import { at, count, failure, listOf, number, run, text, texts } from './parts';

const batches = listOf(
  z.object({
    id: text,
    mode: z.enum(['mask', 'reward']),
    isTrial: z.boolean(),
    at,
    judge: text,
    endpoint: text,
    model: text,
    runs: listOf(run),
    runCount: count,
    steps: z.enum(judgedSteps),
    state: z.enum(batchStates),
    why: z.enum(['cost', 'cancelled', 'failed']).nullable(),
    // A server of an earlier version does not say it.
    spent: number.nullable().default(null),
    failure: failure.nullable(),
    isHere: z.boolean(),
    isStopping: z.boolean(),
    total: count.nullable(),
    asked: count,
    votes: count,
    missing: count,
    found: z.object({ masks: count, keeps: count, unparsable: count }).nullable(),
    cost: number.nullable(),
    inputTokens: count,
    outputTokens: count,
    maxCost: number.nullable(),
    isPriced: z.boolean(),
  }),
);

const estimate = z.object({ value: number, n: count, low: number, high: number }).nullable();
const beforeAndAfter = z.object({ before: estimate, after: estimate });
const effect = z.enum(['mask', 'keep']);
const pair = z.object({ one: text, other: text, raw: estimate, kappa: estimate });
const taskVotes = z.object({
  task: text,
  perStep: number,
  plus: estimate,
  minus: estimate,
  mu: number.nullable(),
  separation: number.nullable(),
  bound: number.nullable(),
});
const quality = z.object({
  steps: count,
  known: count,
  judges: listOf(
    z.object({
      judge: text,
      rubrics: texts,
      votes: count,
      unparsable: count,
      contradicting: count,
      accuracy: estimate,
      kappa: estimate,
      maskPrecision: estimate,
      maskRecall: estimate,
      byReason: listOf(z.object({ reason: text, masked: count, right: estimate })),
      byRule: listOf(z.object({ rule: text, effect, steps: count, same: estimate, right: estimate })),
      bySureness: listOf(z.object({ from: number, to: number, sure: number, right: estimate.unwrap() })),
      calibrationError: number.nullable(),
    }),
  ),
  rules: listOf(z.object({ rule: text, effect, steps: count, right: estimate })),
  amongJudges: estimate,
  amongPeople: estimate,
  people: listOf(pair),
  pairs: listOf(pair),
  tasks: listOf(taskVotes),
  truth: text.nullable(),
  drift: listOf(
    z.object({
      judge: text,
      before: text,
      after: text,
      steps: count,
      toMask: count,
      toKeep: count,
      precision: beforeAndAfter,
      recall: beforeAndAfter,
    }),
  ),
  rewards: z.object({
    raters: listOf(
      z.object({
        judge: text,
        rubrics: texts,
        steps: count,
        plus: count,
        minus: count,
        unparsable: count,
        consistency: estimate,
        process: z.object({ votes: estimate, majority: estimate, kappa: estimate }).nullable(),
        tasks: listOf(taskVotes),
      }),
    ),
    pairs: listOf(pair),
  }),
  labellers: texts,
  withheld: count,
});

const kind = z.enum(rubricKinds);

const rubric = z.object({
  task: text,
  kind,
  builtIn: text,
  kept: z.object({ task: text, kind, text, at, author: text }).nullable(),
  version: text,
  builtInVersion: text,
});

export const judgeAnswers = {
  'judge.estimate': z.object({
    judges: listOf(
      z.object({
        judge: text,
        rubrics: listOf(text),
        requests: count,
        steps: count,
        inputTokens: count,
        outputTokens: count,
        cost: number.nullable(),
        obstacle: failure.nullable(),
      }),
    ),
  }),
  'judge.start': z.object({ batches: listOf(text) }),
  'judge.batches': batches,
  'judge.queued': z.object({ count, run: run.nullable() }),
  'judge.quality': quality,
  'judge.stop': batches,
  'judge.resume': batches,
  'rubric.ofTask': rubric,
  'rubric.keep': rubric.extend({ adopted: count }),
  'rubric.trial': z.object({
    run,
    judge: text,
    before: listOf(text),
    after: text,
    tried: count,
    compared: count,
    toMask: count,
    toKeep: count,
    labelled: count,
    precision: beforeAndAfter,
    recall: beforeAndAfter,
    changes: listOf(
      z.object({
        step: count,
        before: z.enum(['keep', 'mask']),
        after: z.enum(['keep', 'mask']),
        people: z.enum(['train', 'mask']).nullable(),
        reason: text,
        why: text,
      }),
    ),
  }),
};
