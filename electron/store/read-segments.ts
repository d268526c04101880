import type { SegmentView } from '@shared/views';
import { rowId, seqOf } from './ids';
import { findRun, type ReadContext, type RunRecord } from './read-context';

/** No run has more context lives than this worth listing. */
const MAX_SEGMENTS = 10_000;

/** The segments of a run in order, each with its first step and the summary turn that opened it. */
export function readSegments(context: ReadContext, ulid: string): SegmentView[] {
  const run = findRun(context, ulid);
  const rows = context.statements.all<{ id: number; segment: number }>(
    'SELECT id, segment FROM segment WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?',
    rowId(run.id, 0),
    rowId(run.id, run.seq),
    MAX_SEGMENTS,
  );
  const firsts = rows.map(({ id }) => firstStepAfter(context, run, seqOf(id)));
  return rows.map(({ segment }, index) => {
    const firstStep = firsts[index] ?? 1;
    return {
      segment,
      firstStep,
      summaryStep: isSummary(context, run, firstStep - 1) ? firstStep - 1 : null,
      lastStep: (firsts[index + 1] ?? run.state.steps + 1) - 1,
      carried: null,
      counts: { train: 0, mask: 0, undecided: 0, disagreement: 0 },
    };
  });
}

/** Steps begin in the order of their numbers, so the first one begun after an event is found by halving. */
function firstStepAfter(context: ReadContext, run: RunRecord, seq: number): number {
  let low = (run.facts.parent?.step ?? 0) + 1;
  let high = run.state.steps + 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    const begun = begunAt(context, run, middle);
    if (begun !== null && begun < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function begunAt(context: ReadContext, run: RunRecord, step: number): number | null {
  const row = context.statements.get<{ seq0: number }>(
    'SELECT seq0 FROM step_head WHERE id = ?',
    rowId(run.id, step),
  );
  return row?.seq0 ?? (run.state.head?.step === step ? run.state.head.seq0 : null);
}

function isSummary(context: ReadContext, run: RunRecord, step: number): boolean {
  const row = context.statements.get<{ kind: string }>(
    'SELECT kind FROM step_head WHERE id = ?',
    rowId(run.id, step),
  );
  return (row?.kind ?? (run.state.head?.step === step ? run.state.head.kind : null)) === 'summary';
}
