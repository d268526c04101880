import type { ScoreSpec } from '../contract/task';

/** Points that the reference solution is worth; InnovatorBench appendix B: "the reference score should be about 80". */
export const REFERENCE_POINTS = 80;

/**
 * Points for a raw metric: linear from `baseline` (0) to `reference` (80), above it on the same line to 100,
 * never below 0. Without a score block the metric itself counts as points. `raw` must be finite.
 */
export function pointsFor(raw: number, score: ScoreSpec | null): number {
  const points =
    score === null ? raw : (REFERENCE_POINTS * (raw - score.baseline)) / (score.reference - score.baseline);
  return Math.min(100, Math.max(0, points));
}

/** Points after the penalty for a task hint that was seen; never below 0. */
export function withPenalty(points: number, penalty: number): number {
  return Math.max(0, points - penalty);
}

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

/** What evaluations found of files that the task protects. */
export interface ProtectedChanges {
  /** How many evaluations found some changed, added or removed. */
  evaluations: number;
  /** The first of them, below the workspace, sorted within an evaluation. */
  paths: string[];
}

/** Most paths that are named; the log has them all. */
const mostProtectedPaths = 20;

/** What one more evaluation adds to what earlier ones found. */
export function addProtectedChanges(
  known: ProtectedChanges | undefined,
  changed: readonly string[],
): ProtectedChanges | undefined {
  if (changed.length === 0) return known;
  const paths = new Set(known?.paths);
  for (const path of changed) {
    if (paths.size >= mostProtectedPaths) break;
    paths.add(path);
  }
  return { evaluations: (known?.evaluations ?? 0) + 1, paths: [...paths] };
}
