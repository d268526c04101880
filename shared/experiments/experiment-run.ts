import type { HintCategory } from '../log/outbox';

/** A score and when it was had: `ms` is working time of the run. */
export interface TimedScore {
  ms: number;
  step: number;
  score: number;
}

/** A hint that reached the agent, with the last score before it and the first one after it. */
export interface HintEffect {
  category: HintCategory;
  step: number;
  before: number | null;
  after: number | null;
  /** Steps from the hint to the first score above the last one before it; null: none was above it, or there was none before. */
  stepsToBetter: number | null;
}

/** What an experiment needs to know about one of its runs. */
export interface ExperimentRun {
  run: string;
  title: string;
  arm: string | null;
  /** `hash`: of its package, the version that the run was made for. */
  task: { id: string; title: string; domain: string | null; hash: string };
  model: string;
  taskHint: 'off' | 'tool' | 'upfront';
  humanHints: boolean;
  group: string | null;
  sample: number | null;
  seed: number | null;
  /** A branch shares its beginning with another run: it is listed and counts in no mean. */
  branch: boolean;
  status: string | null;
  ended: boolean;
  /** Null: not ended, or no score. */
  final: number | null;
  best: number | null;
  /** Working time until the best score was first reached. */
  timeToBestMs: number | null;
  workingMs: number;
  /** Null: at least one answer has no price. */
  cost: number | null;
  steps: number;
  /** In order. */
  scores: TimedScore[];
  hints: HintEffect[];
  /** Words of the hints that were delivered. */
  hintWords: number;
  /**
   * Time before steps in review until they were decided, the steps, and the decisions, all people together. Null: withheld from
   * somebody who is to decide steps of the run blind.
   */
  review: { ms: number; steps: number; labels: number } | null;
  /** How often, and how long in all, somebody watched the run; nothing of the time before that was recorded. */
  looks: { n: number; ms: number };
}

export interface ExperimentListing {
  name: string;
  runs: number;
  arms: number;
  tasks: number;
  ended: number;
  createdAt: number;
}
