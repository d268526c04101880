import type { StepMark } from '../labels';
import type { StepHead } from '../views';

/** Why a step waits for a person, the most urgent first. */
export const queueClasses = ['disagreement', 'open', 'unconfirmed', 'rest'] as const;
export type QueueClass = (typeof queueClasses)[number];

/**
 * Marks that send a step to the front: people differ, judges differ, rule against judge, a rule that keeps under one that
 * masks, a person against the machines, a judge in doubt.
 */
export const contestedMarks = [
  'disagreement',
  'humans_differ',
  'judges_differ',
  'rule_and_judge_differ',
  'rules_differ',
  'low_confidence',
] as const satisfies readonly StepMark[];

const contested: ReadonlySet<StepMark> = new Set(contestedMarks);

/**
 * The class of a step as its reader sees it; a withheld one looks undecided. Null: nothing is left for this person to do,
 * because they have decided and people do not differ.
 */
export function queueClassOf(
  head: Pick<StepHead, 'label' | 'marks' | 'flagged' | 'decided' | 'withheld'>,
  viewer: string,
): QueueClass | null {
  if (head.withheld) return 'open';
  const differ = head.marks.includes('humans_differ');
  if (head.decided.includes(viewer) && !differ) return null;
  // An adjudicated step has none of these marks.
  if (head.marks.some((mark) => contested.has(mark))) return 'disagreement';
  if (head.label.value === null || head.flagged) return 'open';
  return head.marks.includes('unconfirmed') ? 'unconfirmed' : 'rest';
}
