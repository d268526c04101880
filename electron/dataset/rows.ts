import { WaymarkError } from '@shared/errors';
import type { Tool } from '@shared/event-parts';
import { type MaskedMessage, maskTrajectory } from '@shared/mask';
import { TrajectoryFold } from '@shared/trajectory';
import { type DatasetReader, eventPages } from './event-pages';
import type { ExportPlan, RowPlan } from './export-plan';
import type { RunPlan } from './run-plan';

/** One trajectory with its masks, independent of any trainer's format. */
export interface DatasetRow {
  messages: MaskedMessage[];
  tools: Tool[];
  plan: RowPlan;
}

/**
 * The rows of a plan, one at a time: only the events of the row's own segment are read, page by page, and only
 * one row is held.
 */
export async function* datasetRows(
  reader: DatasetReader,
  plan: ExportPlan,
  options: { signal?: AbortSignal | undefined; onEvents?: (count: number) => void },
): AsyncGenerator<DatasetRow> {
  const { reasoning, carried } = plan.preset;
  const everywhere = carried === 'paper' ? masksByRun(plan) : null;
  for (const row of plan.rows) {
    const { segment, run, masks } = row;
    const fold = new TrajectoryFold({ reasoning });
    const range = { from: segment.fromSeq, to: segment.toSeq, signal: options.signal };
    for await (const page of eventPages(reader, run.created.run, range)) {
      for (const event of page) fold.apply(event);
      options.onEvents?.(page.length);
    }
    const trajectory = fold.end();
    if (!trajectory)
      throw new WaymarkError('bug', `Segment ${segment.segment} of run ${run.created.run} is empty`);
    const labels = everywhere?.get(run) ?? masks;
    const { messages, trained } = maskTrajectory(trajectory, {
      carried,
      maskOf: (step) => labels.get(step) ?? 0,
    });
    const expected = [...masks].filter(([, mask]) => mask === 1).map(([step]) => step);
    if (expected.some((step) => !trained.includes(step))) {
      throw new WaymarkError(
        'bug',
        `Row of segment ${segment.segment} of run ${run.created.run} does not train the steps that its plan names`,
      );
    }
    yield { messages, tools: trajectory.tools, plan: row };
  }
}

/** Masks of all steps that are part of some row, by run. */
function masksByRun(plan: ExportPlan): Map<RunPlan, Map<number, 0 | 1>> {
  const byRun = new Map<RunPlan, Map<number, 0 | 1>>();
  for (const { run, masks } of plan.rows) {
    const all = byRun.get(run) ?? new Map<number, 0 | 1>();
    for (const [step, mask] of masks) all.set(step, mask);
    byRun.set(run, all);
  }
  return byRun;
}
