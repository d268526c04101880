import { z } from 'zod';
import { count, step } from './event-parts';

/** What tells an imported run from one that was driven here. */
export const importEvents = {
  /** Follows `run.created`. `files` are named as they were found; `left` says in words what could not be taken over. */
  'run.imported': z.object({
    format: z.string(),
    tool: z.string(),
    files: z.array(z.object({ name: z.string(), bytes: count, sha256: z.string().length(64) })),
    left: z.array(z.string()),
    /** Parts of the source that belong to no step, verbatim. */
    unknown: z.record(z.string(), z.unknown()),
  }),
  /** Parts of one step's source that have no place in the other events, verbatim; shown with the step. */
  'step.imported': z.object({
    step,
    /** Where in the source: a node's id, a line. */
    source: z.string(),
    unknown: z.record(z.string(), z.unknown()),
  }),
} as const;
