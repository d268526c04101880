/** Why a run wants a person's eye (product.md C5; semantics, Labels: detectors). */
export const attentionKinds = [
  'asks_you',
  'failed',
  'paused',
  'host_lost',
  'error_streak',
  'gpu_idle',
  'secret_seen',
  'score_dropped',
  'budget',
  'finished',
  'hint_delivered',
  'stood_still',
  'summary_lost',
  'impatience',
  'contention',
  'forgotten_session',
  'template_thought',
  'repeated_action',
  'early_finish',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

/** 1 = look now … 3 = good to know. */
export type Urgency = 1 | 2 | 3;

export interface AttentionItem {
  /** Stable: the same finding has the same id. */
  id: string;
  run: string;
  kind: AttentionKind;
  urgency: Urgency;
  /** Where it shows; null = the run as a whole. */
  step: number | null;
  /** More steps that belong to it. */
  steps: number[];
  /** Event that raised it, or ended it. */
  seq: number;
  /** Wall-clock ms of its begin. */
  at: number;
  /** Facts for the sentence in the window's language: names, counts, scores. Never free text of the run. */
  facts: Record<string, string | number | null>;
  /** Still so now, or over. */
  open: boolean;
}

/** How often each kind was found in the whole run. */
export type AttentionCounts = Partial<Record<AttentionKind, number>>;

/** What changed in one run since a person looked. */
export interface RunAttention {
  run: string;
  title: string;
  /** Last event the person has seen; 0 = never looked. */
  seenSeq: number;
  seenAt: number | null;
  newSteps: number;
  /** Ranked, most urgent first. */
  items: AttentionItem[];
  counts: AttentionCounts;
  /** Events that were not looked at yet; more of them are, each time this is asked for. */
  behind: number;
}

/** What one run has to say, whoever asks. */
export interface RunFindings {
  run: string;
  /** Last event looked at. */
  seq: number;
  items: AttentionItem[];
  counts: AttentionCounts;
  /** When time alone makes another item, wall-clock ms; null = it does not. */
  nextAt: number | null;
}

/** One run in the report. Times in ms, cost in the currency of the price table, tokens input and output together. */
export interface ReportedRun {
  run: string;
  title: string;
  steps: number;
  workingMs: number;
  cost: number;
  tokens: number;
  /** Last score before the time began, last score at its end, best of the run until then. */
  scores: { before: number | null; after: number | null; best: number | null };
  stoodStillMs: number;
  hintsDelivered: number;
  state: string;
  items: AttentionItem[];
}

/** The night in one page: per run what happened between two times (wall-clock ms). */
export interface AttentionReport {
  from: number;
  to: number;
  runs: ReportedRun[];
}
