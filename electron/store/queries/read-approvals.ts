import type { ApprovalAsked } from '@shared/contract/ipc/runs';
import { LAST_SEQ, rowId } from '../file/rows';
import { decodeEvent, EVENT_COLUMNS, type EventRow } from '../log/event-codec';
import { answersTo } from '../log/outbox-log';
import { FOLD_VERSION, type OpenApproval } from '../log/run-state';
import { approvalKinds, foldApprovals } from '../projections/approval-fold';
import { findRun, type ReadContext, type RunRecord, readEvents } from './read-context';

/**
 * What a run waits for a person's word on, oldest first. What a person answered is open no more, also while nobody drives the
 * run, who would write the answer into its log. Throws `not_found`.
 */
export function readOpenApprovals(context: ReadContext, ulid: string): ApprovalAsked[] {
  const run = findRun(context, ulid);
  const open = run.state.version === FOLD_VERSION ? run.state.approvals : fromLog(context, run);
  if (open === undefined) return [];
  const answered = new Set(answersTo(context.statements, run.id).map(({ approval }) => approval));
  return open.flatMap(({ seq, approval }) => {
    if (answered.has(approval)) return [];
    const [event] = readEvents(context, run, seq, seq, 1);
    if (event?.kind !== 'approval.asked') return [];
    const { call: _, ...question } = event.body;
    return [{ run: ulid, ...question }];
  });
}

/**
 * Kinds of actions that run unasked in a run, oldest first, without those a person took back already: the driver, or the
 * next one, hears of that before it judges another action. Throws `not_found`.
 */
export function readAllowedKinds(context: ReadContext, ulid: string): string[] {
  const run = findRun(context, ulid);
  const kinds = run.state.kinds ?? [];
  if (kinds.length === 0) return [];
  const rows = context.statements.all<{ ulid: string; kind: string }>(
    `SELECT ulid, json_extract(body, '$.body.kind') AS kind FROM outbox
     WHERE run = ? AND body <> '' AND json_extract(body, '$.body.op') = 'approval.withdrawn'`,
    run.id,
  );
  const applied = new Set(withdrawnEntries(context, run));
  const open = new Set(rows.flatMap((row) => (applied.has(row.ulid) ? [] : [row.kind])));
  return kinds.filter((kind) => !open.has(kind));
}

function withdrawnEntries({ statements }: ReadContext, run: RunRecord): string[] {
  return statements
    .all<{ entry: string }>(
      `SELECT json_extract(body, '$.entry') AS entry FROM event
       WHERE id BETWEEN ? AND ? AND kind = 'approval.withdrawn'`,
      rowId(run.id, 0),
      rowId(run.id, LAST_SEQ),
    )
    .map(({ entry }) => entry);
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
