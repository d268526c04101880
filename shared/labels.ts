import type { LabelValue } from './annotations';

/** Who a label comes from. Rank: adjudication > human > machine (rule, judge). */
export type LabelSource = 'adjudication' | 'human' | 'rule' | 'judge';

/** A derived verdict of a rule on one step; never stored as an annotation entry. */
export interface RuleVerdict {
  rule: string;
  version: number;
  effect: 'mask' | 'keep';
  /** A hard mask is lifted only by a person (error-observation, null). */
  hard: boolean;
  /** One sentence that names the evidence. */
  why: string;
  /** Other steps the rule ties to this one. */
  steps: number[];
}

/** One person's standing decision on a step (a head of the `supersedes` graph). */
export interface HumanLabel {
  entry: string;
  author: { uuid: string; name: string };
  value: LabelValue;
  reason: string | null;
  adjudication: boolean;
  at: number;
}

/** What holds for a step, and why. `value` null = undecided. */
export interface EffectiveLabel {
  value: LabelValue | null;
  source: LabelSource | null;
  /** Rule id, reason code or author initials: what the narrow columns show. */
  reason: string | null;
  /** Heads of equal rank differ, or a machine opinion contradicts the winner. */
  disagreement: boolean;
}
