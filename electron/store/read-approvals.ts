import type { ApprovalAsked } from '@shared/ipc/runs';
import { approvalKinds, foldApprovals } from './approval-fold';
import { decodeEvent, EVENT_COLUMNS, type EventRow } from './event-codec';
import { LAST_SEQ, rowId } from './ids';
import { findRun, type ReadContext, type RunRecord, readEvents } from './read-context';
import { FOLD_VERSION, type OpenApproval } from './run-state';

/** What a run waits for a person's word on, oldest first. Throws `not_found`. */
export function readOpenApprovals(context: ReadContext, ulid: string): ApprovalAsked[] {
  const run = findRun(context, ulid);
  const open = run.state.version === FOLD_VERSION ? run.state.approvals : fromLog(context, run);
  return (open ?? []).flatMap(({ seq }) => {
    const [event] = readEvents(context, run, seq, seq, 1);
    if (event?.kind !== 'approval.asked') return [];
    const { approval, step, what, why } = event.body;
    return [{ run: ulid, approval, step, what, why }];
  });
}

/** The state of a long run that an older fold kept says nothing of questions until it is derived again. */
function fromLog(context: ReadContext, run: RunRecord): OpenApproval[] | undefined {
  const rows = context.statements
    .prepare(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE id BETWEEN ? AND ? AND kind IN (${approvalKinds.map((kind) => `'${kind}'`).join()})
       ORDER BY id`,
    )
    .iterate(rowId(run.id, 0), rowId(run.id, LAST_SEQ)) as IterableIterator<EventRow>;
  let open: OpenApproval[] | undefined;
  for (const row of rows) {
    // Their texts say nothing about what is open.
    open = foldApprovals(
      open,
      decodeEvent(row, run.ulid, () => '', false),
    );
  }
  return open;
}
