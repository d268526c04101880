import { contestedMarks, type QueueClass } from '@shared/review/queue-class';
import { LabelFlag, markFlags } from './fold-rows';

const CONTESTED = contestedMarks.reduce((bits, mark) => bits | markFlags[mark], 0);
const SETTLED = "label_source IS 'adjudication'";

/** True when the person `:me` (a uuid) has a standing decision; the flag spares most rows the look. */
export const MINE = `(label_flags & ${LabelFlag.decided} AND instr(decided, :me) > 0)`;

/** `queueClassOf` of shared, over the columns of the filter index: which class a step of a person has. */
export const openSql: Record<QueueClass, string> = {
  disagreement: `(label_flags & ${CONTESTED} AND ${SETTLED} IS FALSE AND (label_flags & ${LabelFlag.humansDiffer} OR NOT ${MINE}))`,
  open: `((label = 0 OR label_flags & ${LabelFlag.flagged}) AND (NOT label_flags & ${CONTESTED} OR ${SETTLED}) AND NOT ${MINE})`,
  unconfirmed: `(label <> 0 AND label_flags & ${LabelFlag.unconfirmed} AND NOT label_flags & ${CONTESTED | LabelFlag.flagged} AND NOT ${MINE})`,
  rest: `(label <> 0 AND NOT label_flags & ${LabelFlag.flagged | LabelFlag.unconfirmed} AND (NOT label_flags & ${CONTESTED} OR ${SETTLED}) AND NOT ${MINE})`,
};

/** The same for steps the person decides blind: before that nothing is known of them. */
export const blindSql: Record<QueueClass, string> = {
  disagreement: `(label_flags & ${LabelFlag.humansDiffer} AND ${SETTLED} IS FALSE AND ${MINE})`,
  open: `(NOT ${MINE})`,
  unconfirmed: '0',
  rest: '0',
};
