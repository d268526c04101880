import { duration } from '../base/duration';

/** What the agent is told of the limit on one training, with the system prompt and, once it has changed, with the budgets. */
export function trainingWords(limitMs: number): string {
  return `A single training run may take ${duration(limitMs)} at most`;
}

/** What the budgets have to say because the system prompt says otherwise; null: nothing. `limitMs` null: there is no limit now. */
export function trainingNews(system: string, limitMs: number | null): string | null {
  if (limitMs !== null) return system.includes(trainingWords(limitMs)) ? null : trainingWords(limitMs);
  return /A single training run may take .{1,20} at most; then/u.test(system)
    ? 'A training run may now take as long as the run has time'
    : null;
}
