import { LAST_SEQ, rowId, seqOf } from '../file/rows';
import { findRun, type ReadContext } from './read-context';

/** Which rules speak about which steps of a run. */
export type RuleMarks = ReadonlyMap<number, readonly string[]>;

/**
 * What stands in the workspace of the rules' verdicts on a run's events up to `seq`: ids of rules by step. Null where it is not of
 * the rules of this `version` (`ruleSetVersion`), or of more or fewer events, and of a run whose texts were purged, about which rules
 * would say something else by now: whoever asks works it out then. Marks, the version
 * they were made with and how far they reach are written in one transaction and read by one statement, so that none is of another
 * moment.
 */
export function readRuleMarks(
  context: ReadContext,
  run: string,
  { seq, version }: { seq: number; version: string },
): RuleMarks | null {
  const { id } = findRun(context, run);
  const rows = context.statements
    .prepare(
      `SELECT m.step, m.rule FROM run_head h LEFT JOIN rule_mark m ON m.step BETWEEN ? AND ?
       WHERE h.run = ? AND h.rule_version = ? AND h.rule_seq = ?
         AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.run = h.run)`,
    )
    .iterate(rowId(id, 0), rowId(id, LAST_SEQ), id, version, seq);
  let marks: Map<number, string[]> | null = null;
  for (const each of rows) {
    marks ??= new Map<number, string[]>();
    const { step, rule } = each as { step: number | null; rule: string | null };
    if (step === null || rule === null) continue;
    const known = marks.get(seqOf(step));
    if (known === undefined) marks.set(seqOf(step), [rule]);
    else known.push(rule);
  }
  return marks;
}
