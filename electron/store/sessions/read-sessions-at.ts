import type { SessionAt } from '@shared/contract/views';
import { LAST_SEQ, rowId } from '../file/rows';
import { bounded, findRun, type ReadContext, type RunRecord, stepSpan } from '../queries/read-context';
import { sessionActivity } from './session-activity';

/** What a session did is looked for in this many observations before the end of the step: some 10 ms. */
const LOOK_BACK = 400;

interface SessionRow {
  uid: string;
  computer: string;
  name: string;
  ended: number;
  exit_code: number | null;
  state: SessionAt['state'];
  end_offset: number | null;
}

/**
 * The run's sessions as they were when a step was over: those that were open, up to the offsets that its last
 * observation recorded, and those that had ended. One that was opened later is not among them; of a step that belongs to
 * another run none is. Throws `not_found`.
 */
export function readSessionsAt(context: ReadContext, ulid: string, step: number): SessionAt[] {
  const run = findRun(context, ulid);
  const at = bounded(step, 1, LAST_SEQ, 'The step');
  const span = stepSpan(context, run, at);
  if (span === undefined && at <= run.state.steps) return [];
  // A step that is being thought about has everything behind it that has happened.
  const end = rowId(run.id, span?.seq1 ?? LAST_SEQ);
  const offsets = lastOffsets(context, run, end);
  const rows = context.statements.all<SessionRow>(
    `SELECT s.uid, s.computer, s.name, s.ended, s.exit_code, s.state, l.end_offset
     FROM session s LEFT JOIN session_log l ON l.run = s.run AND l.uid = s.uid
     WHERE s.run = ? AND s.opened_seq <= ? ORDER BY s.opened_seq DESC, s.uid DESC`,
    run.id,
    span?.seq1 ?? LAST_SEQ,
  );
  const open = new Map<string, SessionAt>();
  const names = new Set<string>();
  const found = rows.map((row): SessionAt => {
    const name = `${row.computer}:${row.name}`;
    // Of several sessions of one name only the last one was open.
    const offset = names.has(name) ? undefined : offsets[name];
    const over = names.has(name) || (offset === undefined && row.ended === 1);
    names.add(name);
    const { uid, state, exit_code: exitCode } = row;
    if (over) return { uid, endOffset: row.end_offset ?? 0, state, exitCode, command: null };
    const session: SessionAt = {
      uid,
      endOffset: offset ?? 0,
      state: 'unknown',
      exitCode: null,
      command: null,
    };
    open.set(name, session);
    return session;
  });
  sayWhatTheyDid(context, run, end, open);
  return found.reverse();
}

/** What every session had printed when something was last observed. */
function lastOffsets(context: ReadContext, run: RunRecord, end: number): Record<string, number> {
  const row = context.statements.get<{ offsets: string }>(
    `SELECT json_extract(body, '$.offsets') AS offsets FROM event
     WHERE id BETWEEN ? AND ? AND kind = 'action.observed' ORDER BY id DESC LIMIT 1`,
    rowId(run.id, 0),
    end,
  );
  return row === undefined ? {} : (JSON.parse(row.offsets) as Record<string, number>);
}

/** State and command by the last thing that was observed of each; further back than `LOOK_BACK` they stay unknown. */
function sayWhatTheyDid(
  context: ReadContext,
  run: RunRecord,
  end: number,
  open: ReadonlyMap<string, SessionAt>,
): void {
  const events = context.statements.all<{
    kind: string;
    ok: number;
    data: string | null;
    name: string | null;
  }>(
    `SELECT kind, json_extract(body, '$.ok') AS ok, json_extract(body, '$.data') AS data,
       json_extract(body, '$.computer') || ':' || json_extract(body, '$.session') AS name
     FROM event WHERE id BETWEEN ? AND ? AND kind IN ('action.observed', 'session.rested')
     ORDER BY id DESC LIMIT ${LOOK_BACK}`,
    rowId(run.id, 0),
    end,
  );
  const wanted = new Map(open);
  for (const { kind, ok, data: json, name } of events) {
    if (wanted.size === 0) return;
    const data = json === null ? {} : (JSON.parse(json) as Record<string, unknown>);
    const key = kind === 'session.rested' ? name : `${String(data.computer)}:${String(data.session)}`;
    const session = key === null ? undefined : wanted.get(key);
    if (session === undefined || key === null) continue;
    const said =
      kind === 'session.rested'
        ? ({ state: 'idle', command: null } as const)
        : sessionActivity({ ok: ok === 1, data });
    if (session.state === 'unknown' && said.state !== null) session.state = said.state;
    session.command ??= said.command;
    // Before it rested, or before its last command, it did something else.
    if (said.command !== null || kind === 'session.rested') wanted.delete(key);
  }
}
