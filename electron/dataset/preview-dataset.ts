import type { ExportPreview } from '@shared/contract/ipc/dataset';
import type { DatasetReader } from './event-pages';
import { countInherited, countLines, countMasks, planExport } from './export-plan';
import type { ExportRequest } from './export-request';

/** Undecided steps named per run; the count is always whole. */
const namedSteps = 200;

/**
 * What an export with this request would write, without writing: the same plan, so the counts agree. With
 * `refuse` the undecided steps are listed and count as masked.
 */
export async function previewDataset(reader: DatasetReader, request: ExportRequest): Promise<ExportPreview> {
  const plan = await planExport(reader, request);
  const bySource = new Map<string, ExportPreview['bySource'][number]>();
  for (const { source, value, count } of plan.counts) {
    const entry = bySource.get(`${source} ${value}`) ?? { source, value, count: 0 };
    bySource.set(`${source} ${value}`, { ...entry, count: entry.count + count });
  }
  return {
    rows: countLines(plan),
    steps: plan.rows.reduce((sum, { masks }) => sum + masks.size, 0),
    ...countMasks(plan.rows),
    undecided: plan.undecided.map(({ run, steps }) => ({
      run,
      steps: steps.slice(0, namedSteps),
      total: steps.length,
    })),
    dropped: plan.dropped,
    noTools: plan.noTools,
    inherited: countInherited(plan),
    bySource: [...bySource.values()],
    tokens: plan.rows.reduce((sum, { tokens, kind }) => sum + tokens * plan.preset.repeat[kind], 0),
  };
}
