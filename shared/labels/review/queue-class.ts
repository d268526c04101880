import type { StepHead } from '../../contract/views';

/** Why a step waits for a person, the most urgent first. */
export const queueClasses = ['disagreement', 'unsure', 'open', 'unconfirmed', 'rest'] as const;
export type QueueClass = (typeof queueClasses)[number];

/**
 * The class of a step as its reader sees it; a withheld one looks undecided. Where people differ it is everybody's. Another
 * disagreement is for those who have not decided: a TRAIN without a reason leaves a hard mask as it is, and whoever said it is
 * done with the step. Null: nothing is left for this person to do, because they have decided.
 */
export function queueClassOf(
  head: Pick<StepHead, 'label' | 'marks' | 'flagged' | 'decided' | 'withheld'>,
  viewer: string,
): QueueClass | null {
  if (head.withheld) return 'open';
  const decided = head.decided.includes(viewer);
  if (head.marks.includes(decided ? 'humans_differ' : 'disagreement')) return 'disagreement';
  if (decided) return null;
  // A judge's doubt is marked until a person has decided.
  if (head.marks.includes('low_confidence')) return 'unsure';
  if (head.label.value === null || head.flagged) return 'open';
  return head.marks.includes('unconfirmed') ? 'unconfirmed' : 'rest';
}
