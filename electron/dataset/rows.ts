import { type MaskedMessage, maskTrajectory } from '@shared/context/mask';
import { type Trajectory, TrajectoryFold } from '@shared/context/trajectory';
import { WaymarkError } from '@shared/contract/errors';
import type { Tool } from '@shared/log/event-parts';
import { type DatasetReader, eventPages } from './event-pages';
import type { ExportPlan, RowPlan } from './export-plan';
import { rowTools } from './imported-rows';
import type { RunPlan } from './run-plan';

/** One trajectory with its masks, independent of any trainer's format. */
export interface DatasetRow {
  messages: MaskedMessage[];
  tools: Tool[];
  notAsSent: Trajectory['notAsSent'];
  refused: Trajectory['refused'];
  plan: RowPlan;
}

/**
 * The rows of a plan, one at a time. A segment carries steps of earlier ones on, so the events of a run are read once, in
 * order, page by page; only one context is held.
 */
export async function* datasetRows(
  reader: DatasetReader,
  plan: ExportPlan,
  options: { signal?: AbortSignal | undefined; onEvents?: (count: number) => void },
): AsyncGenerator<DatasetRow> {
  for (const [run, rows] of byRun(plan.rows)) {
    const wanted = new Map(rows.map((row) => [keyOf(row.kind, row.segment.fromSeq), row]));
    const fold = new TrajectoryFold({ reasoning: plan.preset.reasoning });
    const to = Math.max(...rows.map(({ segment }) => segment.toSeq));
    const found = (trajectories: readonly Trajectory[]) =>
      trajectories.flatMap((trajectory) => {
        const row = wanted.get(keyOf(trajectory.kind, trajectory.opened));
        wanted.delete(keyOf(trajectory.kind, trajectory.opened));
        return row === undefined ? [] : [rowOf(trajectory, row, plan)];
      });
    for await (const page of eventPages(reader, run.created.run, { from: 1, to, signal: options.signal })) {
      for (const event of page) yield* found(fold.apply(event));
      options.onEvents?.(page.length);
    }
    yield* found(fold.end());
    const [left] = wanted.values();
    if (left)
      throw new WaymarkError('bug', `Segment ${left.segment.segment} of run ${run.created.run} is empty`);
  }
}

const keyOf = (kind: string, seq: number) => `${kind} ${seq}`;

function byRun(rows: readonly RowPlan[]): Map<RunPlan, RowPlan[]> {
  const runs = new Map<RunPlan, RowPlan[]>();
  for (const row of rows) runs.set(row.run, [...(runs.get(row.run) ?? []), row]);
  return runs;
}

function rowOf(trajectory: Trajectory, row: RowPlan, { preset }: ExportPlan): DatasetRow {
  const { masks, carried, segment, run } = row;
  const { messages, trained } = maskTrajectory(trajectory, {
    carried: preset.carried,
    maskOf: (step) => masks.get(step) ?? carried.get(step) ?? 0,
  });
  const expected = [...masks, ...carried].filter(([, mask]) => mask === 1).map(([step]) => step);
  if (expected.some((step) => !trained.includes(step))) {
    throw new WaymarkError(
      'bug',
      `Row of segment ${segment.segment} of run ${run.created.run} does not train the steps that its plan names`,
    );
  }
  const { notAsSent, refused } = trajectory;
  return { messages, tools: rowTools(trajectory, run.tools), notAsSent, refused, plan: row };
}
