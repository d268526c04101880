import type { ExperimentRun } from './experiment-run';
import { figureOf } from './figures';

const HOUR = 3_600_000;

export interface CurvePoint {
  hour: number;
  /** Mean over the tasks that have a score by then; null before the first. */
  score: number | null;
  /** Tasks the mean rests on, of `of`. */
  tasks: number;
  of: number;
}

/** Mean over tasks of the last score at or before an hour of working time; a task with several runs gives the mean of theirs. */
export function scoreAtHour(runs: readonly ExperimentRun[], hour: number): CurvePoint {
  const byTask = new Map<string, (number | null)[]>();
  for (const { task, scores, branch } of runs) {
    if (branch) continue;
    const last = scores.filter(({ ms }) => ms <= hour * HOUR).at(-1)?.score ?? null;
    byTask.set(task.id, [...(byTask.get(task.id) ?? []), last]);
  }
  const means = [...byTask.values()].map((scores) => figureOf(scores, 'left out').mean);
  const { mean, n } = figureOf(means, 'left out');
  return { hour, score: mean, tasks: n, of: means.length };
}

/** Points of a curve at most. */
const mostPoints = 48;

/** The curve from hour 0 to the last score, in whole hours; in wider steps where that would be many points. */
export function scalingCurve(runs: readonly ExperimentRun[]): CurvePoint[] {
  let last = 0;
  for (const { scores } of runs) last = Math.max(last, scores.at(-1)?.ms ?? 0);
  const hours = Math.ceil(last / HOUR);
  const stride = Math.max(1, Math.ceil(hours / mostPoints));
  const points: CurvePoint[] = [];
  for (let hour = 0; hour < hours + stride; hour += stride) points.push(scoreAtHour(runs, hour));
  return points;
}
