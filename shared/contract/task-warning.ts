import { z } from 'zod';

/** What a task may do and had better not, found when its package is looked at. */
export const taskWarning = z.discriminatedUnion('kind', [
  /** No score reaches what counts as success. */
  z.object({ kind: z.literal('success_unreachable'), successAt: z.number(), maxScore: z.number() }),
  /** The evaluator seems to run or load what the agent wrote; `file`: of the package, or `evaluation.command`. */
  z.object({ kind: z.literal('runs_agent_files'), file: z.string() }),
]);
export type TaskWarning = z.infer<typeof taskWarning>;
