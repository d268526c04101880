import type { LabelStack } from '@shared/contract/views';
import { decisionsFor } from '@shared/labels/annotation-fold';
import { stepOpinion } from '@shared/labels/step-marks';
import type { AnnotationEntry } from '@shared/log/annotations';
import { LabelProjection } from '../projections/label-projection';
import { findRun, type ReadContext, type RunRecord } from './read-context';

/** A step has seldom more than a handful; of a longer history the latest are shown. */
const MAX_HISTORY = 500;

/**
 * Every opinion on one step, what holds, why, and all that was ever said about it: entries that were taken back stand in the
 * history beside the undo entries that did it.
 */
export function readLabels(context: ReadContext, run: Pick<RunRecord, 'id'>, step: number): LabelStack {
  const labels = new LabelProjection(context.statements);
  const history = labels.ranges.overlapping(run.id, [{ from: step, to: step }]);
  const rules = labels.verdicts(run.id, step, step).get(step) ?? [];
  const decisions = decisionsFor(history, step);
  const { humans, judges, corrections, comments, assigned } = decisions;
  const { effective, why } = stepOpinion(decisions, rules, labels.precedenceOf(run.id));
  return {
    effective,
    why,
    humans,
    rules,
    judges,
    corrections,
    comments,
    assigned,
    history: shown(history.slice(-MAX_HISTORY)),
    withheld: false,
  };
}

/** A wide entry names thousands of others as seen; here only those of this step's own history matter. */
function shown(history: readonly AnnotationEntry[]): AnnotationEntry[] {
  const ids = new Set(history.map(({ ulid }) => ulid));
  return history.map((entry) => ({ ...entry, supersedes: entry.supersedes.filter((id) => ids.has(id)) }));
}

const PAGE_ENTRIES = 20_000;
const PAGE_CHARACTERS = 16 * 1024 * 1024;

/** Entries about a run in the order they were stored; `last` null ends them. Throws `not_found`. */
export function readAnnotationPage(
  context: ReadContext,
  ulid: string,
  after: number,
): { entries: AnnotationEntry[]; last: number | null } {
  const entries: AnnotationEntry[] = [];
  let characters = 0;
  const rows = context.statements
    .prepare('SELECT id, body FROM annotation WHERE run = ? AND purged = 0 AND id > ? ORDER BY id')
    .iterate(findRun(context, ulid).id, after) as IterableIterator<{ id: number; body: string }>;
  for (const { id, body } of rows) {
    entries.push(JSON.parse(body) as AnnotationEntry);
    characters += body.length;
    if (entries.length >= PAGE_ENTRIES || characters > PAGE_CHARACTERS) {
      return { entries, last: id };
    }
  }
  return { entries, last: null };
}
