import type { RunRecord } from '@shared/contract/views';
import type { EventBody } from '@shared/log/events';

/** What a run was started with, for comparisons between runs. */
export function recordOf({
  taskHint,
  humanHints,
  experiment,
  arm,
  group,
  sample,
  seed,
}: EventBody<'run.created'>): RunRecord {
  return { taskHint, humanHints, experiment, arm, group, sample, seed };
}
