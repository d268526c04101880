import type { DecidedExamples } from '@shared/contract/ipc/labels';
import { foldAnnotations } from '@shared/labels/annotation-fold';
import type { AnnotationEntry } from '@shared/log/annotations';
import { findRun, type ReadContext } from './read-context';

/** Newest entries looked at: what was decided long ago is no better an example. */
const MAX_ENTRIES = 1000;
const MAX_STEPS = 3;

/**
 * Steps of a run on which a decision with a reason stands, by reason, the first three of each. Entries that take others back or
 * replace them are younger than those, so the newest part of the log tells for itself. Throws `not_found`.
 */
export function readDecidedExamples(context: ReadContext, ulid: string): DecidedExamples[] {
  const run = findRun(context, ulid);
  const entries = context.statements
    .all<{ body: string }>(
      `SELECT body FROM annotation
       WHERE run = ? AND purged = 0 AND op IN ('label', 'adjudicate', 'undo') ORDER BY id DESC LIMIT ?`,
      run.id,
      MAX_ENTRIES,
    )
    .map(({ body }) => JSON.parse(body) as AnnotationEntry)
    .reverse();
  const found = new Map<string, DecidedExamples>();
  for (const { from, to, decisions } of foldAnnotations(entries).ranges) {
    for (const reason of new Set(decisions.humans.flatMap((human) => human.reason ?? []))) {
      const known = found.get(reason) ?? { reason, steps: [], total: 0 };
      known.total += to - from + 1;
      for (let step = from; step <= to && known.steps.length < MAX_STEPS; step++) known.steps.push(step);
      found.set(reason, known);
    }
  }
  return [...found.values()];
}
