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
