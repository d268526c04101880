import type { ExportPreview } from '@shared/contract/ipc/dataset';
import type { DatasetReader } from './event-pages';
import { planExport } from './export-plan';
import type { ExportRequest } from './export-request';
import { countInherited, countLines, countMasks, type ExportPlan, variantPlan } from './plan';
import { longestRows, variantCounts } from './plan-counts';
import { loadTarget } from './targets/table';

/** Undecided steps named per run; the count is always whole. */
const namedSteps = 200;
/** Longest rows that are listed. */
const listedRows = 20;

/**
 * What an export with this request would write, without writing: the same plan, so the counts agree. With
 * `refuse` the undecided steps are listed and count as masked.
 */
export async function previewDataset(reader: DatasetReader, request: ExportRequest): Promise<ExportPreview> {
  return previewOf(await planExport(reader, request));
}

/** The preview of a plan that is kept, as for a list of its rows (`rowPage`). */
export async function previewOf(plan: ExportPlan): Promise<ExportPreview> {
  const target = await loadTarget(plan.options.format);
  const first = variantPlan(plan);
  const bySource = new Map<string, ExportPreview['bySource'][number]>();
  for (const { source, value, count } of first.counts) {
    const entry = bySource.get(`${source} ${value}`) ?? { source, value, count: 0 };
    bySource.set(`${source} ${value}`, { ...entry, count: entry.count + count });
  }
  return {
    rows: countLines(first.rows, plan.repeat),
    steps: first.rows.reduce((sum, { masks }) => sum + masks.size, 0),
    ...countMasks(first.rows),
    undecided: plan.undecided.map(({ run, steps }) => ({
      run,
      steps: steps.slice(0, namedSteps),
      total: steps.length,
    })),
    dropped: first.dropped,
    noTools: plan.noTools,
    inherited: countInherited(plan),
    bySource: [...bySource.values()],
    tokens: first.rows.reduce((sum, { tokens, kind }) => sum + tokens * plan.repeat[kind], 0),
    variants: plan.variants.map((variant) => ({
      ...variantCounts(variant, plan, target),
      dropped: variant.dropped,
    })),
    snapshot: plan.snapshot,
    unfinished: plan.unfinished,
    filtered: plan.filtered,
    longest: longestRows(first, listedRows),
    duplicates: plan.duplicates,
    split:
      plan.split === null
        ? null
        : { train: plan.split.train.length, validation: plan.split.validation.length },
  };
}
