import { WaymarkError } from '@shared/contract/errors';
import type { LabelPreview, SimilarSteps } from '@shared/contract/ipc/labels';
import { joined, MAX_PARTS, type StepRange } from '@shared/contract/step-range';
import { LAST_SEQ, rowId, seqOf } from '../file/rows';
import { ownersOf } from '../log/run-owners';
import { HeadFlag, LabelFlag } from '../projections/fold-rows';
import { bounded, findRun, type ReadContext } from './read-context';

/** Columns of `step_head` that a preview counts; the filter index holds them all. */
interface PreviewRow {
  id: number;
  label: number;
  label_flags: number;
}

/** The steps of a range that no person has decided on, inherited ones among them. Answered steps only. */
export function readRest(context: ReadContext, ulid: string, from: number, to: number): LabelPreview {
  const run = findRun(context, ulid);
  const first = bounded(from, 1, LAST_SEQ, 'The first step');
  const last = bounded(to, 1, LAST_SEQ, 'The last step');
  const rows = ownersOf(context, run, first, last).flatMap((owned) =>
    owned.run === null
      ? []
      : context.statements.all<PreviewRow>(
          `SELECT id, label, label_flags FROM step_head INDEXED BY step_filter
           WHERE id BETWEEN ? AND ? AND label_flags & ${LabelFlag.decided} = 0 ORDER BY id`,
          rowId(owned.run.id, owned.from),
          rowId(owned.run.id, owned.to),
        ),
  );
  return preview(rows);
}

interface ModelRow {
  tool: string;
  rules: string;
  flags: number;
  error_code: string | null;
  exit_code: number | null;
}

/**
 * Steps of the whole run with the same action about which the same rules speak. When none does, the outcome must be the
 * same: no error, or the same error code and exit code. Throws `not_found`.
 */
export function readSimilar(context: ReadContext, ulid: string, step: number): SimilarSteps {
  const run = findRun(context, ulid);
  const owned = ownersOf(context, run, 1, LAST_SEQ);
  const at = owned.find(({ from, to }) => from <= step && step <= to);
  const like =
    at?.run == null
      ? undefined
      : context.statements.get<ModelRow>(
          'SELECT tool, rules, flags, error_code, exit_code FROM step_head WHERE id = ?',
          rowId(at.run.id, step),
        );
  if (like === undefined) {
    throw new WaymarkError(
      'not_found',
      `Run ${ulid} has no step ${step} that is done; it has ${run.state.steps}.`,
    );
  }
  const rules = JSON.parse(like.rules) as string[];
  const rows = owned.flatMap((piece) => {
    if (piece.run === null) {
      return [];
    }
    const range: [number, number] = [rowId(piece.run.id, piece.from), rowId(piece.run.id, piece.to)];
    return rules[0] === undefined
      ? sameOutcome(context, like, range)
      : sameRules(context, like, rules[0], range);
  });
  return { ...preview(rows), tool: like.tool, rules };
}

/** Found by one of the rules, which speaks about few steps. */
function sameRules(
  { statements }: ReadContext,
  { tool, rules }: ModelRow,
  first: string,
  [from, to]: [number, number],
): PreviewRow[] {
  return statements.all<PreviewRow>(
    `SELECT h.id, h.label, h.label_flags FROM rule_mark m INDEXED BY rule_mark_rule JOIN step_head h ON h.id = m.step
     WHERE m.rule = ? AND m.step BETWEEN ? AND ? AND h.tool = ? AND h.rules = ? ORDER BY h.id`,
    first,
    from,
    to,
    tool,
    rules,
  );
}

function sameOutcome(
  { statements }: ReadContext,
  { tool, flags, error_code: error, exit_code: exit }: ModelRow,
  [from, to]: [number, number],
): PreviewRow[] {
  return statements.all<PreviewRow>(
    `SELECT id, label, label_flags FROM step_head INDEXED BY step_filter
     WHERE id BETWEEN ? AND ? AND tool = ? AND flags & ${HeadFlag.error} = ?
       AND rules = '[]' AND error_code IS ? AND exit_code IS ? ORDER BY id`,
    from,
    to,
    tool,
    flags & HeadFlag.error,
    error,
    exit,
  );
}

/** One decision holds so many pieces and no more; what is beyond is counted as `left`. */
function preview(rows: readonly PreviewRow[]): LabelPreview {
  const pieces = joined(rows.map(({ id }): StepRange => ({ from: seqOf(id), to: seqOf(id) })));
  const parts = pieces.slice(0, MAX_PARTS);
  const end = parts.at(-1)?.to ?? 0;
  const within = rows.filter(({ id }) => seqOf(id) <= end);
  const count = (label: number) => within.filter((row) => row.label === label).length;
  return {
    parts,
    steps: within.length,
    left: rows.length - within.length,
    now: { train: count(1), mask: count(2), undecided: count(0) },
    decided: within.filter(({ label_flags }) => (label_flags & LabelFlag.decided) !== 0).length,
  };
}
