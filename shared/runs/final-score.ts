/** What the evaluations of a run came to, on the task's scale; null before there was one. */
export interface Scores {
  best: number | null;
  /** Of the forced evaluation at the end of the run. */
  final: number | null;
  last: number | null;
  /** The forced evaluation at the end came to no score, so no earlier one stands for it. */
  finalUnavailable?: true | undefined;
}

/** The higher of two scores; null where there is none. */
export function bestOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

/** What one evaluation adds. A forced one speaks for the end of the run as long as no later one does. */
export function addScore(scores: Scores, score: number | null, forced: boolean): void {
  if (score !== null) {
    scores.last = score;
    scores.best = bestOf(scores.best, score);
  }
  if (!forced) return;
  scores.final = score;
  if (score === null) scores.finalUnavailable = true;
  else delete scores.finalUnavailable;
}

/**
 * The score a run ends with: of the forced evaluation; where none was made (an import, a run that was stopped), of the last one. Null
 * where the forced evaluation was tried and came to none: what the agent left behind could not be judged, whatever it had before.
 */
export function finalScore({ final, last, finalUnavailable }: Scores): number | null {
  return finalUnavailable === true ? null : (final ?? last);
}
