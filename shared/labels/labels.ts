import type { Correction, LabelValue } from '../log/annotations';

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

/**
 * What a judge says about one step. `value` 'keep' lifts nothing by itself (APOLLO §3.4: masking is a union).
 * `reason` is the code of the criterion it names, shown in narrow columns.
 */
export interface JudgeVerdict {
  value: 'mask' | 'keep';
  reason: string;
  /** Name of the judge. */
  judge: string;
  /** 0 to 1; null when the judge gives none. */
  confidence: number | null;
  why: string;
  /** Steps it cites. */
  steps: number[];
  rubric: string;
  entry: string;
  at: number;
}

/** One vote of a judge on whether a step is good: no word on the mask. */
export interface RewardVote {
  judge: string;
  /** 0: the answer could not be understood. */
  value: 1 | -1 | 0;
  /** Which of the judge's votes on the step, from 1. */
  vote: number;
  text: string;
  reasoning: string;
  rubric: string;
  future: boolean;
  entry: string;
  at: number;
}

/** A judge that is surer than this is not shown for review because of doubt. */
export const LOW_CONFIDENCE = 0.6;

/** An author's correction of a step. */
export interface StepCorrection {
  entry: string;
  author: { uuid: string; name: string };
  correction: Correction;
  at: number;
}

/**
 * What is worth knowing about a step's opinions, for filters and the review queue. `disagreement`: an open one, which is any of
 * the next four, or a person's word that a hard mask does not take without a reason. Filter, header, status line and
 * queue count this mark. `unconfirmed`: a machine's label that no person has decided on.
 */
export const stepMarks = [
  'disagreement',
  'humans_differ',
  'judges_differ',
  'rule_and_judge_differ',
  'rules_differ',
  'low_confidence',
  'unconfirmed',
  'confirmed',
  'flagged',
  'commented',
  'corrected',
] as const;
export type StepMark = (typeof stepMarks)[number];

/** How machine opinions meet: every mask counts, or the judge's word beats the soft rules. */
export type MachinePrecedence = 'union' | 'judge_over_rule';

/** Why the effective label is what it is; a catalogue turns code and parameters into a sentence. */
export const whyCodes = [
  'no_label',
  'adjudicated',
  'adjudications_differ',
  'human',
  'humans_differ',
  'hard_mask',
  'hard_mask_over_keep',
  'hard_mask_needs_reason',
  'soft_mask',
  'judge_mask',
  'rules_and_judge_mask',
  'keep_rule',
  'keep_rule_over_mask',
  'judge_keep',
  'judge_keep_over_rule',
] as const;
export type WhyCode = (typeof whyCodes)[number];

/** Parameters by code: `by` names, `rules` ids, `judge` reason, `value` train or mask, `reason` as typed. */
export interface Why {
  code: WhyCode;
  params: Record<string, string>;
}
