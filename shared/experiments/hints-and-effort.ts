import type { ExperimentRun } from './experiment-run';
import { type Figure, figureOf } from './figures';

/** What hints of one category came to. */
export interface CategoryEffect {
  category: string;
  hints: number;
  before: Figure;
  after: Figure;
  /** Over the hints that have a score on both sides. */
  change: Figure;
}

/** Scores around the hints of some runs, by category. */
export function effectOfHints(runs: readonly ExperimentRun[]): CategoryEffect[] {
  const hints = runs.filter(({ branch }) => !branch).flatMap((run) => run.hints);
  return [...new Set(hints.map(({ category }) => category))].sort().map((category) => {
    const some = hints.filter((hint) => hint.category === category);
    const paired = some.map(({ before, after }) =>
      before === null || after === null ? null : after - before,
    );
    return {
      category,
      hints: some.length,
      before: figureOf(
        some.map(({ before }) => before),
        'left out',
      ),
      after: figureOf(
        some.map(({ after }) => after),
        'left out',
      ),
      change: figureOf(paired, 'left out'),
    };
  });
}

export interface Effort {
  hints: number;
  words: number;
  /** Minutes on steps in review and steps looked at, all people together; null where some of it is withheld. */
  reviewMinutes: number | null;
  reviewedSteps: number | null;
}

/** People's work on some runs, as far as it is recorded. */
export function effortOf(runs: readonly ExperimentRun[]): Effort {
  const reviews = runs.map(({ review }) => review);
  const withheld = reviews.includes(null);
  const sum = (of: 'ms' | 'steps') => reviews.reduce((total, review) => total + (review?.[of] ?? 0), 0);
  return {
    hints: runs.reduce((total, run) => total + run.hints.length, 0),
    words: runs.reduce((total, run) => total + run.hintWords, 0),
    reviewMinutes: withheld ? null : sum('ms') / 60_000,
    reviewedSteps: withheld ? null : sum('steps'),
  };
}

/** What an experiment would be asked and no log holds; reports name it. */
export const notRecorded = [
  'steps until a hint was followed',
  'minutes a person watched a run',
  'looks per hour',
  'labels per minute',
] as const;
