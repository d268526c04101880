import { z } from 'zod';
import { idSchema } from '../contract/id';
import { modelRefSchema } from '../log/event-parts';
import { rubricKinds } from './rubric-text';

/**
 * Which steps are judged: all, those without a label, those about which opinions differ, or those that the judge has judged before,
 * by another rubric or before what it was shown changed.
 */
export const judgedSteps = ['all', 'undecided', 'disagreeing', 'changed'] as const;
export type JudgedSteps = (typeof judgedSteps)[number];

export const priceSchema = z.object({
  input: z.number().min(0),
  cached: z.number().min(0),
  output: z.number().min(0),
});

const rubricSchema = z.object({
  text: z.string().max(256 * 1024),
  /** A person wrote it, and its reasons may have any name. */
  isOwn: z.boolean(),
  version: z.string().max(120),
});

/** Most votes of one judge on one step. */
export const MOST_VOTES = 64;
export const MOST_TEMPERATURE = 2;

/** How steps are rated where nothing else is said (RLAnything). */
export const rewardDefaults = { votes: 3, temperature: 0.8 } as const;

/** The application's rubrics for rating steps, by the names that a person chooses them by. */
export const rewardRubricNames = ['steps', 'rlanything'] as const;
export type RewardRubricName = (typeof rewardRubricNames)[number];

/** What was asked for, as long as the batch lives: `judge resume` goes on with the same. */
const common = z.object({
  /** As votes are signed. */
  judge: z.string().min(1).max(400),
  runs: z.array(idSchema).max(100_000),
  steps: z.enum(judgedSteps),
  model: modelRefSchema,
  /** In the currency of the price; null: no limit. */
  maxCost: z.number().positive().nullable(),
  /** Of the endpoint when the batch began; null: unknown. */
  price: priceSchema.nullable(),
  /** Votes that were to be given when the batch began; absent: nobody counted them. */
  total: z.int().nonnegative().optional(),
});

/** Rubrics come with their texts: the file of a person's own may have changed since. */
export const batchChoices = z.discriminatedUnion('mode', [
  common.extend({
    mode: z.literal('mask'),
    rubrics: z.object({
      steps: rubricSchema,
      summaries: rubricSchema,
      /** Kept for some tasks: what their runs hold of the kind (absent: steps) is judged by these instead. */
      ofTasks: z
        .array(
          z.object({ task: z.string().max(400), kind: z.enum(rubricKinds).optional(), rubric: rubricSchema }),
        )
        .max(2_000)
        .optional(),
    }),
    /** A rubric is tried: its verdicts are kept apart, are no votes and change no label. Summaries are left out. */
    isTrial: z.boolean().optional(),
  }),
  common.extend({
    mode: z.literal('reward'),
    rubric: rubricSchema,
    /** Votes on each step. */
    votes: z.int().min(1).max(MOST_VOTES),
    /** What the step does to the outcome counts. */
    future: z.boolean(),
  }),
]);
export type BatchChoices = z.infer<typeof batchChoices>;

/** How a batch ended. `interrupted`: another one of the same judge began, which takes the lock of a process that is gone. */
export const batchEnd = z.object({
  at: z.number(),
  why: z.enum(['done', 'cost', 'cancelled', 'failed', 'interrupted']),
  /** Of a failure. */
  failure: z.object({ code: z.string().max(80), message: z.string().max(10_000) }).nullable(),
  /** Steps that were asked about and got no verdict; they stay as they were. */
  missing: z.int().nonnegative(),
  /** What its limit on money had counted, where that ended it. */
  spent: z.number().nonnegative().optional(),
});
export type BatchEnd = z.infer<typeof batchEnd>;

const ranges = z.array(z.object({ from: z.int().positive(), to: z.int().positive() })).max(100_000);

/** What a request showed and asked, by step numbers of the run in which the steps were looked at. */
export const judgedRequest = z.object({
  run: idSchema,
  rubric: z.enum(['steps', 'summaries', 'reward']),
  context: ranges,
  judged: ranges,
  /** Steps it asked about. */
  asked: z.array(z.int().positive()).max(10_000),
  /** Its body with nothing in the place of messages and tools, which the log gives again. */
  frame: z.string().max(100_000),
});
export type JudgedRequest = z.infer<typeof judgedRequest>;

/** One answer that was paid for, stored together with the votes it held. */
export interface JudgeAnswer {
  /** Of the exact body that was sent, in hex. */
  sha256: string;
  request: JudgedRequest;
  votes: number;
  /** Of these, those that speak against the step, and those that could not be understood. */
  against: number;
  unparsable: number;
  /** In the currency of the price; null: unknown. */
  cost: number | null;
  inputTokens: number;
  outputTokens: number;
}

/** What came of a batch so far, over all its processes. */
export interface BatchCounts {
  /** Requests that were answered. */
  asked: number;
  votes: number;
  /** Votes that speak against the step: MASK, or −1. */
  against: number;
  unparsable: number;
  missing: number;
  cost: number | null;
  /** Of the answers whose cost is known: what a limit counts. */
  knownCost: number;
  inputTokens: number;
  outputTokens: number;
}

/** A batch as it is stored. */
export interface StoredBatch {
  id: string;
  /** When it began, ms since 1970. */
  at: number;
  choices: BatchChoices;
  /** Null: it goes on, or its process is gone. */
  end: BatchEnd | null;
  /** Somebody asked the process that works on it to end it. */
  isStopping: boolean;
  counts: BatchCounts;
  /** Of the answers whose cost is unknown: no price was known when they came. */
  unpriced: { inputTokens: number; outputTokens: number };
}

/** Versions of the rubrics that a batch judges by. */
export function rubricsOf(choices: BatchChoices): string[] {
  if (choices.mode === 'reward') return [choices.rubric.version];
  const { steps, summaries, ofTasks = [] } = choices.rubrics;
  if (choices.isTrial === true) return [steps.version];
  return [...new Set([steps, ...ofTasks.map(({ rubric }) => rubric), summaries].map((each) => each.version))];
}

export const batchStates = ['running', 'done', 'ended', 'interrupted'] as const;
export type BatchState = (typeof batchStates)[number];

/** `held`: some process holds the lock of the batch's judge. Beginning a batch ends every other one, so that only one has no end. */
export function batchState({ end }: Pick<StoredBatch, 'end'>, held: boolean): BatchState {
  if (end === null) return held ? 'running' : 'interrupted';
  if (end.why === 'done' || end.why === 'interrupted') return end.why;
  return 'ended';
}
