/** A score and when it was had: `ms` is working time of the run. */
export interface TimedScore {
  ms: number;
  step: number;
  score: number;
}

/** A hint that reached the agent, with the last score before it and the first one after it. */
export interface HintEffect {
  category: string;
  step: number;
  before: number | null;
  after: number | null;
}

/** What an experiment needs to know about one of its runs. */
export interface ExperimentRun {
  run: string;
  title: string;
  arm: string | null;
  task: { id: string; title: string; domain: string | null };
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
  /** Time spent on steps in review, all people together; null: withheld from who decides steps of the run blind. */
  review: { ms: number; steps: number } | null;
}

export interface ExperimentListing {
  name: string;
  runs: number;
  arms: number;
  tasks: number;
  ended: number;
  createdAt: number;
}
