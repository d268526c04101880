import type { QueueClass } from '@shared/labels/review/queue-views';
import { LabelFlag } from '../../projections/fold-rows';

/** What the index `step_contested` holds: disagreements of every kind, and judges in doubt. */
const CONTESTED = `label_flags & ${
  LabelFlag.disagreement |
  LabelFlag.humansDiffer |
  LabelFlag.judgesDiffer |
  LabelFlag.ruleAndJudgeDiffer |
  LabelFlag.rulesDiffer |
  LabelFlag.lowConfidence
}`;
const DISAGREEMENT = `label_flags & ${LabelFlag.disagreement}`;

/** True when the person `:me` (a uuid) has a standing decision; the flag spares most rows the look. */
export const MINE = `(label_flags & ${LabelFlag.decided} AND instr(decided, :me) > 0)`;

const OPEN = `(label = 0 OR label_flags & ${LabelFlag.flagged})`;
const UNCONFIRMED = `label_flags & ${LabelFlag.unconfirmed}`;

const filtered = (where: string) =>
  `step_head INDEXED BY step_filter WHERE id BETWEEN :low AND :high AND ${where}`;
const contested = (where: string) =>
  `step_head INDEXED BY step_contested WHERE ${CONTESTED} AND id BETWEEN :low AND :high AND ${where}`;

/**
 * Steps `:low` to `:high` of one class, as `queueClassOf` of shared has it. Of steps
 * that the person decides blind nothing is known before: they are open.
 */
export function itemsSql(kind: QueueClass, blind: boolean): string | null {
  const differ = `label_flags & ${LabelFlag.humansDiffer}`;
  if (kind === 'disagreement')
    return contested(blind ? `${differ} AND ${MINE}` : `${DISAGREEMENT} AND (${differ} OR NOT ${MINE})`);
  if (kind === 'unsure') return blind ? null : contested(`NOT ${DISAGREEMENT} AND NOT ${MINE}`);
  if (blind) return kind === 'open' ? filtered(`NOT ${MINE}`) : null;
  const calm = `NOT ${CONTESTED} AND NOT ${MINE}`;
  if (kind === 'open') return filtered(`${OPEN} AND ${calm}`);
  const decided = `label <> 0 AND NOT label_flags & ${LabelFlag.flagged}`;
  return filtered(`${decided} AND ${kind === 'unconfirmed' ? '' : 'NOT '}${UNCONFIRMED} AND ${calm}`);
}

/** Any step that the person has not decided. */
export const undoneSql = filtered(`NOT ${MINE}`);

/** Room for each count in a sum of several; more steps than any run has. */
const SHIFT = 20;
const MASK = 2 ** SHIFT - 1;

/**
 * Counts of steps `:low` to `:high` in one pass: all, the person's own, and their classes but the contested ones, which
 * `contestedSql` counts.
 */
export function countSql(blind: boolean): string {
  const kind = blind
    ? `CASE WHEN ${MINE} THEN 0 ELSE 1 END`
    : `CASE WHEN ${CONTESTED} OR ${MINE} THEN 0 WHEN ${OPEN} THEN 1 WHEN ${UNCONFIRMED} THEN ${2 ** SHIFT} ELSE ${2 ** (2 * SHIFT)} END`;
  return `SELECT total, packed & ${MASK} AS open, (packed >> ${SHIFT}) & ${MASK} AS unconfirmed, packed >> ${2 * SHIFT} AS rest
    FROM (SELECT count(*) AS total, coalesce(sum(${kind}), 0) AS packed FROM ${filtered('1')})`;
}

/** Of the contested steps: all, and those the person has decided. */
export const contestedSql = `SELECT count(*) AS n, coalesce(sum(${MINE}), 0) AS mine FROM ${contested('1')}`;
