import { type QueueClass, queueClasses, type StampStreak } from './queue-views';

/** A longer pause between two entries of a person counts as this long, ms. */
const LONGEST_GAP_MS = 5 * 60_000;

/** Agreements faster than this, one after another, may be given without a look, ms. */
const QUICK_MS = 700;
/** How many in a row are worth a hint. */
const STAMP_STREAK = 20;

/** Working time of one person, ms, per place of their entries: every entry counts with the gap before it, at most 5 minutes. */
export function workByPlace(entries: readonly { at: number; place: string }[]): Map<string, number> {
  const work = new Map<string, number>();
  let before: number | null = null;
  for (const { at, place } of [...entries].sort((a, b) => a.at - b.at)) {
    const gap = before === null ? 0 : Math.min(at - before, LONGEST_GAP_MS);
    work.set(place, (work.get(place) ?? 0) + gap);
    before = at;
  }
  return work;
}

/** One decision about one step, with how long its author had the step before them. */
export interface TimedDecision {
  run: string;
  step: number;
  at: number;
  ms: number;
  /** Why the step waited; null when that is not known. */
  class: QueueClass | null;
  /** It confirmed what the machines had said. */
  agreed: boolean;
}

export interface Pace {
  decisions: number;
  /** Null without a decision. */
  medianMs: number | null;
  classes: { class: QueueClass; decisions: number; medianMs: number }[];
  streaks: StampStreak[];
}

/** How fast a person decides: medians in all and by class, and streaks of agreements that were too quick to read by. */
export function paceOf(decisions: readonly TimedDecision[]): Pace {
  return {
    decisions: decisions.length,
    medianMs: median(decisions.map(({ ms }) => ms)),
    classes: queueClasses.flatMap((each) => {
      const times = decisions.filter((decision) => decision.class === each).map(({ ms }) => ms);
      const middle = median(times);
      return middle === null ? [] : [{ class: each, decisions: times.length, medianMs: middle }];
    }),
    streaks: stampStreaks(decisions),
  };
}

export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const high = sorted[sorted.length >> 1];
  if (high === undefined) return null;
  const low = sorted[(sorted.length - 1) >> 1] ?? high;
  return (low + high) / 2;
}

/** In the order of time; a streak ends with its run, with a disagreement and with a longer look. */
function stampStreaks(decisions: readonly TimedDecision[]): StampStreak[] {
  const runs: TimedDecision[][] = [[]];
  for (const decision of [...decisions].sort((a, b) => a.at - b.at)) {
    const open = runs.at(-1) ?? [];
    const quick = decision.agreed && decision.ms < QUICK_MS;
    if (quick && (open.length === 0 || open.at(-1)?.run === decision.run)) open.push(decision);
    else runs.push(quick ? [decision] : []);
  }
  return runs.flatMap((streak) => {
    const [first] = streak;
    if (first === undefined || streak.length < STAMP_STREAK) return [];
    const steps = streak.map(({ step }) => step);
    const from = steps.reduce((low, step) => Math.min(low, step), first.step);
    const to = steps.reduce((high, step) => Math.max(high, step), first.step);
    return [{ run: first.run, from, to, n: streak.length }];
  });
}
