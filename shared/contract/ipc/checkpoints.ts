import { z } from 'zod';
import { mostTitle, oneLine } from '../../base/clean-text';
import type { BranchPlan, CheckpointSize, CheckpointView, Lineage } from '../checkpoint-views';
import { type CommandRows, inRun, returns, run, step, unisolated } from './parts';

const text = z.string().trim().min(1).max(20_000);

/** Where a branch starts and what of its context is changed. */
export const branchSchema = z.object({
  run,
  /** After this step; a checkpoint is taken at exactly one step, any other step takes the newest one before it. */
  step,
  title: z.string().trim().min(1).pipe(oneLine(mostTitle)),
  /** Null: the parent's model. */
  endpoint: z.string().min(1).nullable(),
  /** Hints of the parent to leave out. */
  drop: z.array(run).max(500),
  /** Texts to add to the last observation, in order. */
  add: z.array(text).max(20),
  /** Whether it is driven at once. */
  start: z.boolean(),
  unisolated,
});

/** Checkpoints and branches. */
export const checkpointCommands = {
  'checkpoints.list': {
    input: inRun,
    output: returns<CheckpointView[]>(),
    place: 'workspace',
    consent: 'free',
  },
  /** How much a checkpoint would copy now; looks at the workspace. */
  'checkpoints.size': {
    input: inRun,
    output: returns<CheckpointSize>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Asks the driver for one after the step that runs; a run nobody drives is taken up for it. */
  'checkpoints.make': {
    input: z.object({ run, note: z.string().trim().max(200) }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'gesture',
  },
  'branches.plan': {
    input: z.object({ run, step }),
    output: returns<BranchPlan>(),
    place: 'workspace',
    consent: 'free',
  },
  'branches.create': {
    input: branchSchema,
    output: returns<{ run: string }>(),
    place: 'workspace',
    consent: 'gesture',
  },
  'branches.lineage': { input: inRun, output: returns<Lineage>(), place: 'workspace', consent: 'free' },
} as const satisfies CommandRows;
