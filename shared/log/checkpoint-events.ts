import { z } from 'zod';
import { answerSchema, count, deliverySchema, observationSchema, step, ulid } from './event-parts';

/** What was used up at some moment; a branch goes on from it. */
export const spentSchema = z.object({
  workingMs: count,
  /** Steps that count against the limit. */
  steps: count,
  inputTokens: count,
  outputTokens: count,
  cost: z.number(),
  evaluations: z.object({
    tries: count,
    best: z.number().nullable(),
    last: z.number().nullable(),
  }),
});
export type Spent = z.infer<typeof spentSchema>;

/** Checkpoints and branches (semantics, Time: "A checkpoint holds"). */
export const checkpointEvents = {
  /**
   * The run's state after `step` is kept: the context is the log up to here, the workspace is the named copy, sessions are
   * what they were. Evaluations' outputs lie in the run's folder and stay there.
   */
  'checkpoint.made': z.object({
    checkpoint: ulid,
    step: count,
    why: z.enum(['interval', 'asked', 'final']),
    note: z.string(),
    spent: spentSchema,
    /** Null when the workspace could not be copied; `message` says why. */
    workspace: z
      .object({
        computer: z.string(),
        root: z.string(),
        /** Folder of the copy, on that computer. */
        folder: z.string(),
        files: count,
        bytes: count,
        /** What was copied anew; the rest is shared with earlier checkpoints. */
        newFiles: count,
        newBytes: count,
        excluded: z.array(z.string()),
      })
      .nullable(),
    sessions: z.array(
      z.object({
        computer: z.string(),
        session: z.string(),
        uid: z.string(),
        cwd: z.string(),
        env: z.record(z.string(), z.string()),
        rows: z.int().positive(),
        cols: z.int().positive(),
        endOffset: count,
        /** What ran in it; a restore does not start it again and says so. */
        running: z.string().nullable(),
      }),
    ),
    durationMs: count,
    message: z.string(),
  }),
  /** One step of the parent that stands in a branch's context. It was sampled, paid for and is labelled there. */
  'step.inherited': z.object({
    run: ulid,
    answered: answerSchema,
    observed: z.array(observationSchema),
    taught: z.string().nullable(),
    delivered: z.array(deliverySchema),
    /** Kept tails of requests that ended with this step, each after so many of `delivered`. */
    lines: z.array(z.object({ after: count, text: z.string() })).optional(),
    /** What the log of `run` says of the step's files. Absent in older logs. */
    files: z
      .object({
        /** The workspace of `run`: paths below it stand for the same paths below the branch's own. */
        root: z.string(),
        /** The branch's files are older: what the step did to files is not among them. */
        undone: z.literal(true).optional(),
        /** Changes that were recorded with a call, or beside the steps after it (null); absent = not known. */
        changed: z
          .array(
            z.object({ call: count.nullable(), path: z.string(), existed: z.boolean(), exists: z.boolean() }),
          )
          .optional(),
      })
      .optional(),
  }),
  /** After the last inherited step: where the branch comes from and what was used up until then. */
  'branch.began': z.object({
    parent: z.object({ run: ulid, step }),
    checkpoint: ulid.nullable(),
    spent: spentSchema,
    /** Hints of the parent that were left out of the branch's context, and what was added to its last observation. */
    dropped: z.array(ulid),
    added: z.array(z.object({ id: ulid, text: z.string() })),
    /** The task's own hint was seen before the branch: its penalty holds. Absent = it was not. */
    taskHintSeen: z.boolean().optional(),
    message: z.string(),
  }),
} as const;
