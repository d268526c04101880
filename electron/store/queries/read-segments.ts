import type { SegmentView } from '@shared/contract/views';
import { LAST_SEQ, rowId, seqOf } from '../file/rows';
import { type OwnedSteps, ownersOf, runOrNull } from '../log/run-owners';
import { findRun, type ReadContext, type RunRecord } from './read-context';

interface BegunSegment {
  segment: number;
  firstStep: number;
  carried: SegmentView['carried'];
}

type Counts = Record<'train' | 'mask' | 'disagreement', number>;

/**
 * The segments of a run in order: first and last step, the summary turn that opened each, what was carried over, and the
 * labels of its steps. A branch goes on in the segment it left, so that one counts the steps of both runs.
 */
export function readSegments(context: ReadContext, ulid: string): SegmentView[] {
  const run = findRun(context, ulid);
  const owned = ownersOf(context, run, 1, run.state.steps);
  const summaries = summarySteps(context, owned);
  const begun = begunSegments(context, run);
  return begun.map(({ segment, firstStep, carried }, index) => {
    const lastStep = (begun[index + 1]?.firstStep ?? run.state.steps + 1) - 1;
    const { train, mask, disagreement } = countLabels(context, owned, firstStep, lastStep);
    // The running step may have no row yet, and steps of a removed run have none any more: both are undecided.
    const undecided = lastStep - firstStep + 1 - train - mask;
    const summaryStep = summaries.has(firstStep - 1) ? firstStep - 1 : null;
    return {
      segment,
      firstStep,
      summaryStep,
      lastStep,
      carried,
      counts: { train, mask, undecided, disagreement },
    };
  });
}

function begunSegments(context: ReadContext, run: RunRecord): BegunSegment[] {
  const { parent } = run.facts;
  const own = context.statements
    .all<{ segment: number; first_step: number; carried_from: number | null; carried_to: number | null }>(
      `SELECT segment, first_step, carried_from, carried_to FROM segment
       WHERE id BETWEEN ? AND ? AND first_step > 0 ORDER BY id`,
      rowId(run.id, 0),
      rowId(run.id, LAST_SEQ),
    )
    .map(({ segment, first_step: first, carried_from: from, carried_to: to }) => ({
      segment,
      // A branch's first context begins before its log says where it branched off.
      firstStep: Math.max(first, (parent?.step ?? 0) + 1),
      carried: from === null || to === null ? null : { from, to },
    }))
    // One that was opened again before its first answer, without a parameter that was refused, is the same segment.
    .filter(({ segment }, index, all) => all[index + 1]?.segment !== segment);
  const above = parent === null ? null : runOrNull(context, parent.run);
  if (parent === null || above === null) return own;
  const before = begunSegments(context, above).filter(({ firstStep }) => firstStep <= parent.step);
  const inForce = before.at(-1)?.segment ?? 0;
  return [...before, ...own.filter(({ segment }) => segment > inForce)];
}

const LABELS = `SELECT coalesce(sum(label = 1), 0) AS train, coalesce(sum(label = 2), 0) AS mask,
  coalesce(sum(label_flags & 1), 0) AS disagreement
  FROM step_head INDEXED BY step_filter WHERE id BETWEEN ? AND ?`;

function countLabels(
  context: ReadContext,
  owned: readonly OwnedSteps[],
  firstStep: number,
  lastStep: number,
): Counts {
  const counts: Counts = { train: 0, mask: 0, disagreement: 0 };
  for (const { run, from, to } of owned) {
    if (run === null || to < firstStep || from > lastStep) continue;
    const row = context.statements.get<Counts>(
      LABELS,
      rowId(run.id, Math.max(from, firstStep)),
      rowId(run.id, Math.min(to, lastStep)),
    );
    counts.train += row?.train ?? 0;
    counts.mask += row?.mask ?? 0;
    counts.disagreement += row?.disagreement ?? 0;
  }
  return counts;
}

function summarySteps(context: ReadContext, owned: readonly OwnedSteps[]): Set<number> {
  const steps = new Set<number>();
  for (const { run, from, to } of owned) {
    if (run === null) continue;
    const ids = context.statements
      .prepare(
        "SELECT id FROM step_head INDEXED BY step_filter WHERE id BETWEEN ? AND ? AND kind = 'summary'",
      )
      .pluck()
      .all(rowId(run.id, from), rowId(run.id, to)) as number[];
    for (const id of ids) steps.add(seqOf(id));
    if (run.state.head?.kind === 'summary') steps.add(run.state.head.step);
  }
  return steps;
}
