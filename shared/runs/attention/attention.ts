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

/** How soon each kind wants a person, when nothing else is said: 1 = look now … 3 = good to know. */
export const urgencyOf: Readonly<Record<AttentionKind, Urgency>> = {
  asks_you: 1,
  failed: 1,
  paused: 1,
  host_lost: 1,
  error_streak: 1,
  gpu_idle: 1,
  secret_seen: 2,
  score_dropped: 2,
  budget: 2,
  finished: 2,
  stood_still: 2,
  impatience: 2,
  contention: 2,
  repeated_action: 2,
  early_finish: 2,
  forgotten_session: 2,
  template_thought: 3,
  hint_delivered: 3,
  summary_lost: 3,
};

const rank = ({ kind }: AttentionItem) => attentionKinds.indexOf(kind);

/** Sorts what is urgent first, then what still holds, then what is newer. */
export function byNeed(a: AttentionItem, b: AttentionItem): number {
  return (
    a.urgency - b.urgency ||
    Number(b.open) - Number(a.open) ||
    b.at - a.at ||
    rank(a) - rank(b) ||
    (a.id < b.id ? -1 : 1)
  );
}

/** What a person still has to hear of: open, or come since they looked. */
export function unseen(items: readonly AttentionItem[], seenSeq: number): AttentionItem[] {
  return items.filter((item) => item.open || item.seq > seenSeq).sort(byNeed);
}

/** Sorts runs by their most urgent item; those without any come last, the longest unseen first. */
export function byMostUrgent(a: RunAttention, b: RunAttention): number {
  const [first, second] = [a.items[0], b.items[0]];
  if (first !== undefined && second !== undefined) return byNeed(first, second);
  if (first === undefined && second === undefined) return b.newSteps - a.newSteps;
  return first === undefined ? 1 : -1;
}
