import { LAST_SEQ, rowId, seqOf } from '../file/ids';
import { ownersOf } from '../log/run-owners';
import type { OfferedTool } from '../values';
import { findRun, type ReadContext, readEvents, stepSpan } from './read-context';

/** What the model could call when it made the step; empty when the log does not say (imports, purged texts). */
export function readOfferedTools(context: ReadContext, ulid: string, step: number): OfferedTool[] {
  const { run } = ownersOf(context, findRun(context, ulid), step, step)[0] ?? { run: null };
  if (run === null) {
    return [];
  }
  const head = context.statements.get<{ kind: string }>(
    'SELECT kind FROM step_head WHERE id = ?',
    rowId(run.id, step),
  );
  // A summary turn is offered one tool of its own.
  if (head?.kind === 'summary') {
    return [];
  }
  const end = stepSpan(context, run, step)?.seq0 ?? LAST_SEQ;
  const started = context.statements.get<{ id: number | null }>(
    'SELECT max(id) AS id FROM segment WHERE id BETWEEN ? AND ?',
    rowId(run.id, 1),
    rowId(run.id, end),
  );
  if (started?.id == null) {
    return [];
  }
  const [event] = readEvents(context, run, seqOf(started.id), seqOf(started.id), 1);
  return event?.kind === 'segment.started' ? event.body.tools.map(({ function: tool }) => tool) : [];
}
