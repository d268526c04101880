import type { HintCategory } from '../log/outbox';
import type { ExperimentRun } from './experiment-run';
import { type Figure, figureOf } from './figures';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What hints of one category came to. */
export interface CategoryEffect {
  category: HintCategory;
  hints: number;
  before: Figure;
  after: Figure;
  /** Over the hints that have a score on both sides. */
  change: Figure;
  /** Hints after which some score was above the last one before, and the steps until then. */
  better: number;
  stepsToBetter: Figure;
}

/** Scores around the hints of some runs, by category. */
export function effectOfHints(runs: readonly ExperimentRun[]): CategoryEffect[] {
  const hints = runs.filter(({ branch }) => !branch).flatMap((run) => run.hints);
  return [...new Set(hints.map(({ category }) => category))].sort().map((category) => {
    const some = hints.filter((hint) => hint.category === category);
    const paired = some.map(({ before, after }) =>
      before === null || after === null ? null : after - before,
    );
    const steps = some.flatMap(({ stepsToBetter }) => stepsToBetter ?? []);
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
      better: steps.length,
      stepsToBetter: figureOf(steps, 'left out'),
    };
  });
}

export interface Effort {
  runs: number;
  hints: number;
  words: number;
  /** Minutes that runs were on the screen in Watch with somebody in front of it, how often, and how often an hour of working time. */
  watchMinutes: number;
  looks: number;
  looksPerHour: number | null;
  /** Minutes on steps in review, steps decided, and decisions a minute, all people together; null where some of it is withheld. */
  reviewMinutes: number | null;
  reviewedSteps: number | null;
  labelsPerMinute: number | null;
  /** Watching and review, minutes a run. */
  minutesPerRun: number | null;
}

/** People's work on some runs, as far as it is recorded. */
export function effortOf(runs: readonly ExperimentRun[]): Effort {
  const total = (of: (run: ExperimentRun) => number) => runs.reduce((sum, run) => sum + of(run), 0);
  const withheld = runs.some(({ review }) => review === null);
  const reviewed = (of: 'ms' | 'steps' | 'labels') => total(({ review }) => review?.[of] ?? 0);
  const watchMinutes = total(({ looks }) => looks.ms) / MINUTE;
  const reviewMinutes = reviewed('ms') / MINUTE;
  const looks = total(({ looks: { n } }) => n);
  return {
    runs: runs.length,
    hints: total(({ hints }) => hints.length),
    words: total(({ hintWords }) => hintWords),
    watchMinutes,
    looks,
    looksPerHour: perUnit(looks, total(({ workingMs }) => workingMs) / HOUR),
    reviewMinutes: withheld ? null : reviewMinutes,
    reviewedSteps: withheld ? null : reviewed('steps'),
    labelsPerMinute: withheld ? null : perUnit(reviewed('labels'), reviewMinutes),
    minutesPerRun: withheld ? null : perUnit(watchMinutes + reviewMinutes, runs.length),
  };
}

function perUnit(count: number, units: number): number | null {
  return units === 0 ? null : count / units;
}
