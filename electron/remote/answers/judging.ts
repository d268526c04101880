import { batchStates, judgedSteps } from '@shared/judging/batch';
import { z } from 'zod';
import { at, count, failure, listOf, number, run, text } from './parts';

const batches = listOf(
  z.object({
    id: text,
    mode: z.enum(['mask', 'reward']),
    at,
    judge: text,
    endpoint: text,
    model: text,
    runs: listOf(run),
    runCount: count,
    steps: z.enum(judgedSteps),
    state: z.enum(batchStates),
    why: z.enum(['cost', 'cancelled', 'failed']).nullable(),
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

export const judgeAnswers = {
  'judge.estimate': z.object({
    judge: text,
    requests: count,
    steps: count,
    inputTokens: count,
    outputTokens: count,
    cost: number.nullable(),
    obstacle: failure.nullable(),
  }),
  'judge.start': z.object({ batch: text }),
  'judge.batches': batches,
  'judge.stop': batches,
  'judge.resume': batches,
};
