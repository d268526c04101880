import { z } from 'zod';
import { finalScore, type Scores } from './scores';

const successSchema = z.object({ evaluation: z.object({ success_at: z.number() }) });
/** Points from which a run counts as successful where its task does not say. */
const SUCCESS_AT = 80;

/** Points from which a run of the task counts as successful. `spec`: as a run was created with. */
export function successAt(spec: unknown): number {
  return successSchema.safeParse(spec).data?.evaluation.success_at ?? SUCCESS_AT;
}

/** +1 when the final score reaches the task's `success_at`, else −1; null when the run was never scored. */
export function outcomeFor(spec: unknown, scores: Scores): 1 | -1 | null {
  const score = finalScore(scores);
  return score === null ? null : score >= successAt(spec) ? 1 : -1;
}
