import type { SegmentView } from '@shared/views';
import { LAST_SEQ, rowId, seqOf } from './ids';
import { findRun, type ReadContext, type RunRecord } from './read-context';
import { type OwnedSteps, ownersOf, runOrNull } from './run-owners';

/** No run has more context lives than this worth listing. */
const MAX_SEGMENTS = 10_000;

interface BegunSegment {
  segment: number;
  carried: SegmentView['carried'];
}

interface SegmentCounts {
  first: number;
  last: number;
  train: number;
  mask: number;
  disagreement: number;
}

/**
 * The segments of a run in order: first and last step, the summary turn that opened each, what was carried over, and the
 * labels of its steps. A branch goes on in the segment it left, so that one counts the steps of both runs.
 */
export function readSegments(context: ReadContext, ulid: string): SegmentView[] {
  const run = findRun(context, ulid);
  const owned = ownersOf(context, run, 1, Math.max(1, run.state.steps));
  const counts = new Map<number, SegmentCounts>();
  const summaries = new Set<number>();
  for (const stretch of owned) {
    if (stretch.run !== null) count(context, stretch, stretch.run, counts, summaries);
  }
  // Steps of a removed run have no segment any more.
  let last = (owned.find((stretch) => stretch.run !== null)?.from ?? 1) - 1;
  const begun = begunSegments(context, run, counts);
  return begun.map(({ segment, carried }, index) => {
    const counted = counts.get(segment);
    const firstStep = counted?.first ?? last + 1;
    // The running step has no row yet; it belongs to the latest segment and is undecided.
    last = Math.max(counted?.last ?? last, index === begun.length - 1 ? run.state.steps : 0);
    const { train, mask, disagreement } = counted ?? { train: 0, mask: 0, disagreement: 0 };
    const undecided = last - firstStep + 1 - train - mask;
    const summaryStep = summaries.has(firstStep - 1) ? firstStep - 1 : null;
    return {
      ...{ segment, firstStep, summaryStep, lastStep: last, carried },
      counts: { train, mask, undecided, disagreement },
    };
  });
}

function begunSegments(
  context: ReadContext,
  run: RunRecord,
  counts: ReadonlyMap<number, SegmentCounts>,
): BegunSegment[] {
  const own = context.statements
    .all<{ segment: number; carried_from: number | null; carried_to: number | null }>(
      'SELECT segment, carried_from, carried_to FROM segment WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?',
      rowId(run.id, 0),
      rowId(run.id, LAST_SEQ),
      MAX_SEGMENTS,
    )
    .map(({ segment, carried_from: from, carried_to: to }) => ({
      segment,
      carried: from === null || to === null ? null : { from, to },
    }));
  const { parent } = run.facts;
  const above = parent === null ? null : runOrNull(context, parent.run);
  if (parent === null || above === null) return own;
  const before = begunSegments(context, above, counts).filter(
    ({ segment }) => (counts.get(segment)?.first ?? Number.POSITIVE_INFINITY) <= parent.step,
  );
  const inForce = before.at(-1)?.segment ?? 0;
  return [...before, ...own.filter(({ segment }) => segment > inForce)];
}

/** From the filter index alone. */
function count(
  context: ReadContext,
  { from, to }: OwnedSteps,
  run: RunRecord,
  counts: Map<number, SegmentCounts>,
  summaries: Set<number>,
): void {
  const range = [rowId(run.id, from), rowId(run.id, to)];
  const rows = context.statements.all<SegmentCounts & { segment: number }>(
    `SELECT segment, min(id) AS first, max(id) AS last, sum(label = 1) AS train, sum(label = 2) AS mask,
       sum(label_flags & 1) AS disagreement
     FROM step_head INDEXED BY step_filter WHERE id BETWEEN ? AND ? GROUP BY segment`,
    ...range,
  );
  for (const { segment, first, last, train, mask, disagreement } of rows) {
    const known = counts.get(segment);
    counts.set(segment, {
      first: Math.min(seqOf(first), known?.first ?? LAST_SEQ),
      last: Math.max(seqOf(last), known?.last ?? 0),
      train: train + (known?.train ?? 0),
      mask: mask + (known?.mask ?? 0),
      disagreement: disagreement + (known?.disagreement ?? 0),
    });
  }
  const turns = context.statements
    .prepare(`SELECT id FROM step_head INDEXED BY step_filter WHERE id BETWEEN ? AND ? AND kind = 'summary'`)
    .pluck()
    .all(...range) as number[];
  for (const id of turns) summaries.add(seqOf(id));
  if (run.state.head?.kind === 'summary') summaries.add(run.state.head.step);
}
