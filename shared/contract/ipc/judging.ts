import { z } from 'zod';
import {
  judgedSteps,
  MOST_TEMPERATURE,
  MOST_VOTES,
  rewardDefaults,
  rewardRubricNames,
} from '../../judging/batch';
import { MOST_RUBRIC_BYTES, rubricKinds } from '../../judging/rubric-text';
import type { RubricTrial } from '../../judging/rubric-trial';
import type { JudgeQuality } from '../../labels/judge-quality';
import { idSchema } from '../id';
import { type JudgeBatchView, type JudgeEstimate, judgeQueues, type QueuedSteps } from '../judge-views';
import type { KeptRubric, RubricView } from '../rubric-views';
import { type CommandRows, inRun, none, returns, run } from './parts';

/** In the currency of the endpoint's price; null: no limit. */
const maxCost = z.number().positive().max(1_000_000).nullable().default(null);

/** Judges that are asked in one go. */
export const MOST_JUDGES = 8;

const judge = z.object({
  /** By name only: a window has no way to send anything to an address that is not in the settings. */
  endpoint: z.string().min(1).max(60),
  /** As the votes are signed; absent: the endpoint's name. */
  judge: z.string().min(1).max(400).optional(),
});

const rubricText = z.object({ text: z.string().max(MOST_RUBRIC_BYTES) });

const asks = z.discriminatedUnion('mode', [
  z.object({
    mode: z.literal('mask'),
    /** `task`: what is kept for the task of each run, else the application's own. */
    rubric: z.union([z.enum(['task', 'built-in']), rubricText]).default('task'),
    /** The verdicts are kept apart, are no votes and change no label. */
    isTrial: z.boolean().default(false),
  }),
  z.object({
    mode: z.literal('reward'),
    rubric: z.union([z.enum(rewardRubricNames), rubricText]).default('steps'),
    /** On each step. */
    votes: z.int().min(1).max(MOST_VOTES).default(rewardDefaults.votes),
    temperature: z.number().min(0).max(MOST_TEMPERATURE).default(rewardDefaults.temperature),
    /** What the step does to the outcome counts. */
    future: z.boolean().default(true),
  }),
]);

const request = z.object({
  runs: z.array(run).min(1).max(1_000),
  steps: z.enum(judgedSteps).default('all'),
  asks: asks.default({ mode: 'mask', rubric: 'task', isTrial: false }),
  /** Each becomes a batch of its own. */
  judges: z.array(judge).min(1).max(MOST_JUDGES),
  /** Of each batch. */
  maxCost,
});
export type JudgeRequest = z.output<typeof request>;

const ofTask = z.object({ task: z.string().min(1).max(400), kind: z.enum(rubricKinds).default('steps') });

const inBatch = z.object({ batch: idSchema });

/** Asking a judge. Batches belong to the workspace: they are asked for by the process that has it open, here or on a server. */
export const judgeCommands = {
  /** What `judge.start` with the same input would send and cost. Nothing is sent; a newer question ends the one before. */
  'judge.estimate': {
    input: request,
    output: returns<{ judges: JudgeEstimate[] }>(),
    place: 'workspace',
    consent: 'free',
  },
  /**
   * Begins a batch for each judge that has something to judge, asked for in the background; on a server by a process of its own, which
   * a cut link does not end. It can be resumed after its process has ended. None is begun where one of the judges cannot be asked.
   */
  'judge.start': {
    input: request,
    output: returns<{ batches: string[] }>(),
    place: 'workspace',
    consent: 'press',
  },
  /** The newest batches of the workspace, also those of other processes; at most 100, the newest first. */
  'judge.batches': { input: none, output: returns<JudgeBatchView[]>(), place: 'workspace', consent: 'free' },
  /** Steps worth a person's eye in the runs of a batch, all of them. */
  'judge.queued': {
    input: inBatch.extend({ queue: z.enum(judgeQueues) }),
    output: returns<QueuedSteps>(),
    place: 'workspace',
    consent: 'free',
  },
  /**
   * How good judges are on the steps of these runs, of all runs where none is named; long lists hold their first 200. `truth`: the
   * person or judge whose word counts as right; null: what people agree on.
   */
  'judge.quality': {
    input: z.object({
      runs: z.array(run).max(1_000).default([]),
      truth: z.string().min(1).max(400).nullable().default(null),
    }),
    output: returns<JudgeQuality>(),
    place: 'workspace',
    consent: 'free',
  },
  /** The process that asks, whichever that is, sends nothing more; what is under way is stored when it is answered. */
  'judge.stop': { input: inBatch, output: returns<JudgeBatchView[]>(), place: 'workspace', consent: 'free' },
  /** Goes on where the batch stood. `maxCost`: its limit from now on; null: the one it has. */
  'judge.resume': {
    input: inBatch.extend({ maxCost }),
    output: returns<JudgeBatchView[]>(),
    place: 'workspace',
    consent: 'press',
  },
  /** What the steps or summaries of a task's runs are judged by. */
  'rubric.ofTask': {
    input: ofTask,
    output: returns<RubricView>(),
    place: 'workspace',
    consent: 'free',
  },
  /**
   * Keeps a rubric for a task; null goes back to the application's own. `before`: the text that was seen kept, null for none. What
   * judges said on runs of the task when they tried this text become their votes.
   */
  'rubric.keep': {
    input: ofTask.extend({
      text: z.string().max(MOST_RUBRIC_BYTES).nullable(),
      before: z.string().max(MOST_RUBRIC_BYTES).nullable(),
    }),
    output: returns<KeptRubric>(),
    place: 'workspace',
    consent: 'gesture',
  },
  /** What a judge's tried verdicts by this text change in the run. */
  'rubric.trial': {
    input: inRun.extend({ judge: z.string().min(1).max(400), text: z.string().max(MOST_RUBRIC_BYTES) }),
    output: returns<RubricTrial>(),
    place: 'workspace',
    consent: 'free',
  },
} as const satisfies CommandRows;
