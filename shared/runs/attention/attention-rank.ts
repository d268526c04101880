import {
  type AttentionItem,
  type AttentionKind,
  attentionKinds,
  type RunAttention,
  type Urgency,
} from './attention';

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
