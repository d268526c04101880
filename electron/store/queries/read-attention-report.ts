import { byNeed, type ReportedRun } from '@shared/runs/attention/attention';
import { bestOf } from '@shared/runs/scores';
import { WorkingTime } from '@shared/runs/working-time';
import { LAST_SEQ, rowId, seqOf } from '../file/rows';
import type { AttentionReader } from './read-attention';
import { parseRun, type ReadContext, RUN_SELECT, type RunRecord, type RunRow } from './read-context';
import { runWord } from './read-runs';
import { applyTiming, timingEvent, timingRows } from './timing-rows';

/** Rows per turn of the thread. */
const PAGE_ROWS = 2_000;

interface Paid {
  steps: number;
  tokens: number;
  cost: number;
}

interface PaidRow {
  id: number;
  at: number;
  kind: string;
  tokens: number | null;
  cost: number | null;
}

/** What every run did from `from` until before `to` (wall-clock ms); runs that did nothing then are left out. */
export async function readAttentionReport(
  context: ReadContext,
  attention: AttentionReader,
  from: number,
  to: number,
): Promise<ReportedRun[]> {
  const rows = context.statements.all<RunRow>(
    `${RUN_SELECT} WHERE r.created_at < ? AND h.changed_at >= ? ORDER BY r.id DESC`,
    to,
    from,
  );
  const reports: ReportedRun[] = [];
  for (const row of rows) reports.push(await reportOf(context, attention, parseRun(row), from, to));
  return reports.sort(byFirst);
}

/** The run with the most urgent item first, then who did most. */
function byFirst(a: ReportedRun, b: ReportedRun): number {
  const [first, second] = [a.items[0], b.items[0]];
  if (first === undefined || second === undefined) {
    return Number(first === undefined) - Number(second === undefined) || b.steps - a.steps;
  }
  return byNeed(first, second);
}

async function reportOf(
  context: ReadContext,
  attention: AttentionReader,
  run: RunRecord,
  from: number,
  to: number,
): Promise<ReportedRun> {
  const { items } = await attention.findings(run.ulid);
  const { steps, tokens, cost } = await paidIn(context, run, from, to);
  const between = (at: number) => at >= from && at < to;
  return {
    run: run.ulid,
    title: run.facts.title,
    steps,
    tokens,
    cost,
    ...times(context, run, from, to),
    scores: scoresOf(context, run, from, to),
    hintsDelivered:
      context.statements.get<{ n: number }>(
        'SELECT count(*) AS n FROM hint WHERE run = ? AND delivered_at >= ? AND delivered_at < ?',
        run.id,
        from,
        to,
      )?.n ?? 0,
    state: runWord(context, run),
    items: items.filter((item) => between(item.at) || (item.open && item.at < to)).sort(byNeed),
  };
}

/** What is paid for is told by its kind; of all other events only the columns before the body are read. */
async function paidIn(context: ReadContext, run: RunRecord, from: number, to: number): Promise<Paid> {
  const paid: Paid = { steps: 0, tokens: 0, cost: 0 };
  let next = rowId(run.id, firstAt(context, run, from));
  for (;;) {
    const rows = context.statements.all<PaidRow>(
      `SELECT id, at, kind,
         CASE WHEN kind IN ('model.answered', 'model.failed', 'summary.rejected') THEN
           coalesce(json_extract(body, '$.usage.inputTokens'), 0) + coalesce(json_extract(body, '$.usage.outputTokens'), 0)
         END AS tokens,
         CASE WHEN kind IN ('model.answered', 'model.failed', 'summary.rejected') THEN json_extract(body, '$.cost') END AS cost
       FROM event WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?`,
      next,
      rowId(run.id, LAST_SEQ),
      PAGE_ROWS,
    );
    for (const { at, kind, tokens, cost } of rows) {
      if (at < from || at >= to) continue;
      paid.steps += kind === 'model.answered' ? 1 : 0;
      paid.tokens += tokens ?? 0;
      paid.cost += cost ?? 0;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS || last.at >= to) return paid;
    next = last.id + 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The first event at or after a time. A clock that jumped back makes this a little early or late, never wrong by order. */
function firstAt(context: ReadContext, run: RunRecord, from: number): number {
  let low = 1;
  let high = run.seq;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = context.statements.get<{ at: number }>(
      'SELECT at FROM event WHERE id = ?',
      rowId(run.id, middle),
    );
    if (row === undefined || row.at < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Working time inside the window, by the same rules as everywhere: what lies outside counts as standing still. */
function times(
  context: ReadContext,
  run: RunRecord,
  from: number,
  to: number,
): Pick<ReportedRun, 'workingMs' | 'stoodStillMs'> {
  const time = new WorkingTime();
  let stoodStillMs = 0;
  for (const row of timingRows(context, run.id, 0, LAST_SEQ)) {
    // What a branch's parent had used up was not used in this time.
    if (row.kind === 'branch.began') continue;
    applyTiming(time, row);
    const event = timingEvent(row);
    if (event.kind === 'clock.suspended') {
      stoodStillMs += Math.max(0, Math.min(to, event.body.to) - Math.max(from, event.body.from));
    }
  }
  for (const outside of [
    { from: 0, to: from },
    { from: to, to: Number.MAX_SAFE_INTEGER },
  ]) {
    time.apply({ kind: 'clock.suspended', body: outside }, 0);
  }
  const now = runWord(context, run) === 'undriven' ? run.changedAt : context.now();
  return { workingMs: time.ms(Math.min(now, to)), stoodStillMs };
}

function scoresOf(context: ReadContext, run: RunRecord, from: number, to: number): ReportedRun['scores'] {
  const scores: ReportedRun['scores'] = { before: null, after: null, best: null };
  const rows = context.statements.all<{ id: number; score: number; at: number }>(
    `SELECT v.id, v.score, e.at FROM evaluation v JOIN event e ON e.id = v.id
     WHERE v.id BETWEEN ? AND ? AND v.score IS NOT NULL ORDER BY v.id`,
    rowId(run.id, 0),
    rowId(run.id, LAST_SEQ),
  );
  for (const { score, at, id } of rows) {
    if (at >= to || seqOf(id) > run.seq) continue;
    if (at < from) scores.before = score;
    scores.after = score;
    scores.best = bestOf(scores.best, score);
  }
  return scores;
}
