import type { StepQuery } from '@shared/contract/step-query';
import { call } from '../../api';
import { presets, useFilter } from '../../state/rows/filter';
import { moveCursor, useTimeline } from '../../state/run/timeline';
import { toast } from '../../state/toasts';

export type JumpTarget = 'open' | 'hint' | 'error';

/** Undecided or disputed steps, steps that carry a hint, steps that failed. Of the queries one is enough. */
const targets: Record<JumpTarget, StepQuery[]> = {
  open: [presets.decide, presets.differ],
  hint: [{ hint: true }],
  error: [{ error: true }],
};

/** Puts the cursor on the next or previous step of a kind, among those that are shown; says so when there is none. */
export async function jump(target: JumpTarget, direction: 1 | -1): Promise<void> {
  const { run, cursor } = useTimeline.getState();
  if (run === null) return;
  const { steps } = useFilter.getState();
  const found =
    steps === null
      ? await nearest(run, targets[target], cursor + direction, direction)
      : await amongShown(run, targets[target], cursor, direction);
  if (useTimeline.getState().run !== run) return;
  if (found === null) toast((text) => text.timeline.nothingFurther);
  else moveCursor(found);
}

async function nearest(
  run: string,
  queries: StepQuery[],
  from: number,
  direction: 1 | -1,
): Promise<number | null> {
  return from < 1 ? null : (await call('timeline.find', { run, queries, from, direction })).step;
}

async function amongShown(
  run: string,
  queries: readonly StepQuery[],
  cursor: number,
  direction: 1 | -1,
): Promise<number | null> {
  const side = direction === 1 ? { from: cursor + 1 } : { to: cursor - 1 };
  if (side.to === 0) return null;
  const answers = await Promise.all(
    queries.map((query) => call('timeline.matches', { run, query: { ...query, ...side } })),
  );
  const shown = new Set(useFilter.getState().steps);
  const fit = answers.flatMap(({ steps }) => steps.filter((step) => shown.has(step)));
  if (fit.length === 0) return null;
  return fit.reduce((best, step) => (direction === 1 ? Math.min(best, step) : Math.max(best, step)));
}
