import { ContextFold } from '@shared/context/context';
import { WaymarkError } from '@shared/contract/errors';
import type { EventKind } from '@shared/log/events';
import { rowId, seqOf } from '../file/rows';
import { type ReadContext, type RunRecord, readEvents, stepSpan } from '../queries/read-context';
import { decodeEvent, EVENT_COLUMNS, type EventRow } from './event-codec';

/** The kinds a context is made of. The others can be large (files) and say nothing about it. */
const KINDS: readonly EventKind[] = [
  'segment.started',
  'model.requested',
  'model.answered',
  'action.observed',
  'step.taught',
  'hint.delivered',
  'step.inherited',
  'summary.started',
  'summary.rejected',
  'context.shortened',
  'context.images_left_out',
  'model.changed',
  'limits.changed',
  'branch.began',
];

const SELECT = `SELECT ${EVENT_COLUMNS} FROM event WHERE id BETWEEN ? AND ?
  AND kind IN (${KINDS.map((kind) => `'${kind}'`).join(', ')}) ORDER BY id`;

/**
 * The context as it was after event `seq`, without reading the run from its begin: from the segment in force, and, where that
 * carries steps on, from the first of them. What came before leaves no trace: a segment drops the entries it does not carry
 * and names its whole head.
 */
export function contextAt(context: ReadContext, run: RunRecord, seq: number): ContextFold {
  const from = startOf(context, run, seq);
  const changed = run.state.sendReasoning?.filter((change) => change.seq < from).at(-1);
  const of = changed ?? { on: run.facts.sendReasoning, images: run.facts.images };
  const fold = new ContextFold({ sendReasoning: of.on, images: of.images === true });
  const load = (sha: string) => context.blobs.read(sha);
  const statement = context.statements.prepare(SELECT);
  for (const row of statement.iterate(rowId(run.id, from), rowId(run.id, seq))) {
    fold.apply(decodeEvent(row as EventRow, run.ulid, load, false));
  }
  return fold;
}

function startOf(context: ReadContext, run: RunRecord, seq: number): number {
  const opened = context.statements.get<{ id: number | null }>(
    'SELECT max(id) AS id FROM segment WHERE id BETWEEN ? AND ?',
    rowId(run.id, 0),
    rowId(run.id, seq),
  );
  if (opened?.id == null) {
    return 1;
  }
  const at = seqOf(opened.id);
  const [event] = readEvents(context, run, at, at, 1, false);
  if (event?.kind !== 'segment.started') {
    throw new WaymarkError(
      'workspace_corrupt',
      `Event ${at} of run ${run.ulid} does not open a segment. Run "verify".`,
    );
  }
  const { carried = null } = event.body;
  // Steps that a branch inherited have no row of their own; their events follow its first segment.
  return carried === null ? at : (stepSpan(context, run, carried.from)?.seq0 ?? 1);
}
