import type { StepHead } from '../../contract/views';
import type { Agreement } from './people-agreement';

/** Many quick agreements in a row. */
export interface StampStreak {
  run: string;
  from: number;
  to: number;
  n: number;
}

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

export interface Person {
  uuid: string;
  name: string;
}

/** One run as it waits for a person. */
export interface QueueRun {
  run: string;
  title: string;
  /** Assigned to this person; false: nobody was assigned, so that all of it is everybody's. */
  assigned: boolean;
  /** Steps of theirs. */
  total: number;
  /** Of these, steps they have decided. */
  decided: number;
  /** What is left, by class. */
  left: Record<QueueClass, number>;
  /** Blind steps that they have not decided. */
  blind: number;
}

export interface QueueView {
  /** Runs with something assigned to the person, and the one asked for when nobody was assigned to it; by id. */
  runs: QueueRun[];
  total: number;
  decided: number;
  left: Record<QueueClass, number>;
}

/** An item of a person's queue. */
export interface QueueItem {
  run: string;
  step: number;
  class: QueueClass;
  /** Which of the disagreements that are left, in the order of the queue, and how many those are; null for other classes. */
  place: number | null;
  of: number | null;
}

/** One batch of assignments. */
export interface AssignBatch {
  batch: string;
  at: number;
  by: string;
  people: { person: Person; steps: number; blind: number }[];
  runs: string[];
  steps: number;
}

/** What one person did in one run. */
export interface PersonRow {
  person: Person;
  run: string;
  title: string;
  /** Null: nobody was assigned in this run. */
  assigned: number | null;
  decided: number;
  left: number;
  /** With the other people of the run taken together, over steps both decided. */
  agreement: Agreement;
  /** With what the machines say. */
  machines: Agreement;
  /** Working time, ms: gaps between their entries, each at most 5 minutes. */
  workMs: number;
  flags: number;
  /** Steps of theirs on which people differ and nobody has adjudicated. */
  disagreements: number;
  /** Only of people who share their times. */
  times: { decisions: number; medianMs: number; streaks: StampStreak[] } | null;
}

export interface PairRow {
  run: string;
  first: Person;
  second: Person;
  agreement: Agreement;
}

/** What the lead sees. Steps whose opinions are withheld from who asks count nowhere but as decided. */
export interface PeopleReport {
  rows: PersonRow[];
  pairs: PairRow[];
  /** Per run: all people at once (Fleiss), and the mean of the pairs. */
  runs: { run: string; title: string; fleiss: number | null; meanKappa: number | null }[];
}
