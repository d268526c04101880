import type { StepDecisions } from './annotation-fold';
import { combineLabels, machineDifferences } from './effective-label';
import {
  type EffectiveLabel,
  LOW_CONFIDENCE,
  type MachinePrecedence,
  type RuleVerdict,
  type StepMark,
  stepMarks,
  type Why,
} from './labels';

/** What holds for a step, why, and what is worth knowing about the opinions behind it. */
export interface StepOpinion {
  effective: EffectiveLabel;
  why: Why;
  /** In the order of `stepMarks`. */
  marks: StepMark[];
}

/**
 * Everything that the timeline, the filters and the review queue show of the opinions on one step. Differences
 * between machines, and a judge's doubt, are marked until a person has decided; people's until somebody adjudicates.
 * `confirmed`: a person says what the machines say.
 */
export function stepOpinion(
  decisions: StepDecisions,
  rules: readonly RuleVerdict[],
  precedence: MachinePrecedence = 'union',
): StepOpinion {
  const { humans, judges } = decisions;
  const { effective, why, machine } = combineLabels({ humans, rules, judges, precedence });
  const decided = effective.source === 'human' || effective.source === 'adjudication';
  const peopleDiffer = why.code === 'humans_differ' || why.code === 'adjudications_differ';
  const open = !decided && !peopleDiffer;
  const differ = machineDifferences({ rules, judges });
  const holds: Record<StepMark, boolean> = {
    disagreement: effective.disagreement,
    humans_differ: peopleDiffer,
    judges_differ: open && differ.judges,
    rule_and_judge_differ: open && differ.ruleAndJudge,
    rules_differ: open && differ.rules,
    low_confidence: open && judges.some(isUnsure),
    unconfirmed: machine !== null && humans.length === 0,
    confirmed: decided && machine === effective.value,
    flagged: decisions.flagged,
    commented: decisions.comments.length > 0,
    corrected: decisions.corrections.length > 0,
  };
  return { effective, why, marks: stepMarks.filter((mark) => holds[mark]) };
}

function isUnsure({ confidence }: { confidence: number | null }): boolean {
  return confidence !== null && confidence <= LOW_CONFIDENCE;
}

/** What the judges say together in short, with how sure the surest of those is; null without a vote. */
export function judgesInShort({ judges }: Pick<StepDecisions, 'judges'>): {
  value: 'mask' | 'keep';
  confidence: number | null;
  differ: boolean;
} | null {
  if (judges.length === 0) return null;
  const masking = judges.filter(({ value }) => value === 'mask');
  const winning = masking.length > 0 ? masking : judges;
  const sure = winning.flatMap(({ confidence }) => (confidence === null ? [] : [confidence]));
  return {
    value: masking.length > 0 ? 'mask' : 'keep',
    confidence: sure.length === 0 ? null : Math.max(...sure),
    differ: masking.length > 0 && masking.length < judges.length,
  };
}
