import type { SavedFold } from '@shared/context/context-state';
import { MaskedForms, type MaskedMessage, maskTrajectory } from '@shared/context/mask';
import { type Trajectory, TrajectoryFold, trajectoryKinds } from '@shared/context/trajectory';
import { WaymarkError } from '@shared/contract/errors';
import type { ExportVariant } from '@shared/contract/export-request';
import type { Tool } from '@shared/log/event-parts';
import { type DatasetReader, somePages } from './event-pages';
import { rowTools } from './imported-rows';
import type { ExportPlan, RowPlan, Side } from './plan';
import type { RunPlan } from './run-plan';
import { stepIn } from './step-masks';
import { whileThere } from './still-there';

/** One trajectory with its masks, independent of any trainer's format. */
export interface DatasetRow {
  variant: ExportVariant;
  /** Rows that hold the same message hold the same object: whoever wants another one makes another one. */
  messages: MaskedMessage[];
  /** Step of each message; 0: head. */
  steps: number[];
  tools: Tool[];
  notAsSent: Trajectory['notAsSent'];
  refused: Trajectory['refused'];
  plan: RowPlan;
}

export interface RowsOptions {
  /** Absent: all variants of the plan, in one pass: a trajectory's rows follow each other in the variants' order. */
  variant?: ExportVariant | undefined;
  /** Absent: both sides. */
  split?: Side | undefined;
  signal?: AbortSignal | undefined;
  onEvents?: ((count: number) => void) | undefined;
}

/**
 * A place between two rows from which they can be read on, by another process too: every row before it was given out, and what the
 * fold holds there is plain data.
 */
export interface RowPlace {
  run: string;
  /** Event that is read next; 1: the run was not begun. */
  next: number;
  fold: SavedFold | null;
}

/** Comes after the last row of each segment. */
export interface RowBorder {
  place(): RowPlace;
}

/**
 * The rows of a plan, one at a time, in its order. A segment carries steps of earlier ones on, so the events of a run are read
 * once, in order, page by page; only one context is held.
 *
 * @throws WaymarkError `conflict` when a run was removed since the plan was made, `workspace_corrupt`, `cancelled`
 */
export async function* datasetRows(
  reader: DatasetReader,
  plan: ExportPlan,
  options: RowsOptions,
): AsyncGenerator<DatasetRow> {
  for await (const each of rowsAndBorders(reader, plan, options)) if ('plan' in each) yield each;
}

/** As `datasetRows`, from a place on, and with the places where reading can stop. */
export async function* rowsAndBorders(
  reader: DatasetReader,
  plan: ExportPlan,
  { from, ...options }: RowsOptions & { from?: RowPlace | undefined },
): AsyncGenerator<DatasetRow | RowBorder> {
  const forms = new MaskedForms();
  for (const [run, rows] of wantedRows(plan, options)) {
    const id = run.created.run;
    if (from !== undefined && id < from.run) continue;
    const here = from?.run === id ? from : undefined;
    const fold = new TrajectoryFold({ reasoning: plan.preset.reasoning });
    if (here !== undefined && here.fold !== null) {
      fold.restore(here.fold);
      // The event before the next one opened the segment that the fold is in.
      for (const [key, [wanted]] of rows) {
        if (wanted !== undefined && wanted.row.segment.fromSeq < here.next - 1) rows.delete(key);
      }
    }
    const to = [...rows.values()].reduce(
      (last, [wanted]) => Math.max(last, wanted?.row.segment.toSeq ?? 0),
      0,
    );
    const found = (trajectories: readonly Trajectory[]) =>
      trajectories.flatMap((trajectory) => {
        const key = keyOf(trajectory.kind, trajectory.opened);
        const wanted = rows.get(key) ?? [];
        rows.delete(key);
        return wanted.map(({ variant, row }) => rowOf(trajectory, { variant, row, plan, forms }));
      });
    const pages = somePages(reader, id, trajectoryKinds, {
      from: here?.next ?? 1,
      to,
      signal: options.signal,
    });
    const next = () => whileThere(reader, id, () => pages.next());
    for (let page = await next(); !page.done; page = await next()) {
      let told = 0;
      for (const [index, event] of page.value.entries()) {
        const trajectories = 'passed' in event ? [] : fold.apply(event);
        if (trajectories.length === 0) continue;
        options.onEvents?.(index + 1 - told);
        told = index + 1;
        yield* found(trajectories);
        yield { place: () => ({ run: id, next: event.seq + 1, fold: fold.save() }) };
      }
      options.onEvents?.(page.value.length - told);
    }
    yield* found(fold.end());
    const [left] = [...rows.values()].flat();
    if (left)
      throw new WaymarkError('bug', `Segment ${left.row.segment.segment} of run ${run.created.run} is empty`);
    yield { place: () => ({ run: `${id}~`, next: 1, fold: null }) };
  }
}

const keyOf = (kind: string, seq: number) => `${kind} ${seq}`;

interface Wanted {
  variant: ExportVariant;
  row: RowPlan;
}

/** Runs in the order of the plan, with the rows of each that are asked for. */
function wantedRows(
  { variants, runs }: ExportPlan,
  { variant, split }: RowsOptions,
): [RunPlan, Map<string, Wanted[]>][] {
  const byRun = new Map<RunPlan, Map<string, Wanted[]>>();
  for (const each of variants) {
    if (variant !== undefined && each.variant !== variant) continue;
    for (const row of each.rows) {
      if (split !== undefined && row.split !== split) continue;
      const rows = byRun.get(row.run) ?? new Map<string, Wanted[]>();
      byRun.set(row.run, rows);
      const key = keyOf(row.kind, row.segment.fromSeq);
      const wanted = rows.get(key);
      if (wanted === undefined) rows.set(key, [{ variant: each.variant, row }]);
      else wanted.push({ variant: each.variant, row });
    }
  }
  return runs.flatMap((run): [RunPlan, Map<string, Wanted[]>][] => {
    const rows = byRun.get(run);
    return rows === undefined ? [] : [[run, rows]];
  });
}

function rowOf(
  trajectory: Trajectory,
  { variant, row, plan, forms }: Wanted & { plan: ExportPlan; forms: MaskedForms },
): DatasetRow {
  const { masks, carried, segment, run } = row;
  const { messages, trained } = maskTrajectory(trajectory, {
    carried: plan.preset.carried,
    maskOf: (step) => masks.get(step) ?? carried.get(step) ?? 0,
    forms,
  });
  const trains = new Set(trained);
  for (const [step, mask] of [...masks, ...carried]) {
    if (mask === 0 || trains.has(step)) continue;
    throw new WaymarkError(
      'bug',
      `Row of segment ${segment.segment} of run ${run.created.run} does not train the steps that its plan names`,
    );
  }
  const { notAsSent, refused } = trajectory;
  const steps = row.steps.map((step) => stepIn(step, variant));
  return {
    variant,
    messages,
    notAsSent,
    refused,
    steps: trajectory.messages.map(({ step }) => step),
    tools: rowTools(trajectory, run.tools),
    plan: { ...row, steps },
  };
}
