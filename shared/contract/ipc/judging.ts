import { z } from 'zod';
import { judgedSteps } from '../../judging/batch';
import type { JudgeQuality } from '../../labels/judge-quality';
import { idSchema } from '../id';
import type { JudgeBatchView, JudgeDifferences, JudgeEstimate } from '../judge-views';
import { type CommandRows, none, returns, run } from './parts';

/** In the currency of the endpoint's price; null: no limit. */
const maxCost = z.number().positive().max(1_000_000).nullable().default(null);

const request = z.object({
  runs: z.array(run).min(1).max(1_000),
  steps: z.enum(judgedSteps).default('all'),
  /** By name only: a window has no way to send anything to an address that is not in the settings. */
  endpoint: z.string().min(1).max(60),
  /** As the votes are signed; absent: the endpoint's name. */
  judge: z.string().min(1).max(400).optional(),
  maxCost,
});
export type JudgeRequest = z.output<typeof request>;

const inBatch = z.object({ batch: idSchema });

/** Asking a judge. Batches belong to the workspace: they are asked for by the process that has it open, here or on a server. */
export const judgeCommands = {
  /** What `judge.start` with the same input would send and cost. Nothing is sent; a newer question ends the one before. */
  'judge.estimate': {
    input: request,
    output: returns<JudgeEstimate>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Begins a batch, which is asked for in the background. It can be resumed after its process has ended. */
  'judge.start': {
    input: request,
    output: returns<{ batch: string }>(),
    place: 'workspace',
    consent: 'press',
  },
  /** The newest batches of the workspace, also those of other processes; at most 100, the newest first. */
  'judge.batches': { input: none, output: returns<JudgeBatchView[]>(), place: 'workspace', consent: 'free' },
  /** Where rule and judge differ in the runs of a batch, all of them. */
  'judge.differences': {
    input: inBatch,
    output: returns<JudgeDifferences>(),
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
  /** Sends nothing more; what is under way is stored when it is answered. */
  'judge.stop': { input: inBatch, output: returns<JudgeBatchView[]>(), place: 'workspace', consent: 'free' },
  /** Goes on where the batch stood. `maxCost`: its limit from now on; null: the one it has. */
  'judge.resume': {
    input: inBatch.extend({ maxCost }),
    output: returns<JudgeBatchView[]>(),
    place: 'workspace',
    consent: 'press',
  },
} as const satisfies CommandRows;
