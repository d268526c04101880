/** Why a run wants a person's eye (product.md C5; semantics, Labels: detectors). */
export const attentionKinds = [
  'asks_you',
  'failed',
  'paused',
  'host_lost',
  'error_streak',
  'gpu_idle',
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

export interface AttentionItem {
  /** Stable: the same finding has the same id. */
  id: string;
  run: string;
  kind: AttentionKind;
  /** 1 = look now … 3 = good to know. */
  urgency: 1 | 2 | 3;
  /** Where it shows; null = the run as a whole. */
  step: number | null;
  /** More steps that belong to it. */
  steps: number[];
  seq: number;
  at: number;
  /** Facts for the sentence in the window's language: names, counts, scores. */
  facts: Record<string, string | number | null>;
  /** Still so now, or over. */
  open: boolean;
}

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
}

/** The night in one page: per run what happened between two times. */
export interface AttentionReport {
  from: number;
  to: number;
  runs: {
    run: string;
    title: string;
    steps: number;
    workingMs: number;
    cost: number;
    tokens: number;
    scores: { before: number | null; after: number | null; best: number | null };
    stoodStillMs: number;
    hintsDelivered: number;
    state: string;
    items: AttentionItem[];
  }[];
}
