import type { ExportVariant } from '@shared/contract/export-request';
import type { RowView, VariantCounts } from '@shared/contract/export-views';
import { countMasks, type ExportPlan, type RowPlan, type VariantPlan, variantPlan } from './plan';
import type { Target } from './targets/target';

/**
 * What one variant comes to. `records` are those of the data files as the plan can tell: a target that leaves out or adds some once
 * it has read the rows says so in the manifest.
 */
export function variantCounts(
  { rows, variant, counts }: VariantPlan,
  { repeat }: Pick<ExportPlan, 'repeat'>,
  { recordsOf = () => 1 }: Pick<Target, 'recordsOf'> = {},
): VariantCounts {
  const tokensOf = (value: 'train' | 'mask') =>
    counts.reduce((sum, each) => sum + (each.value === value ? each.tokens : 0), 0);
  return {
    variant,
    records: rows.reduce((sum, row) => sum + repeat[row.kind] * recordsOf(row), 0),
    rows: rows.length,
    ...countMasks(rows),
    trainedTokens: tokensOf('train'),
    maskedTokens: tokensOf('mask'),
    tokens: rows.reduce((sum, { tokens }) => sum + tokens, 0),
    byReason: counts.map(({ source, reason, value, count, tokens }) => ({
      source,
      reason,
      value,
      steps: count,
      tokens,
    })),
  };
}

/** One row for a list; `index` is its place among the rows of the variant. */
export function rowView(row: RowPlan, index: number): RowView {
  const { run, segment, kind, steps, tokens, split } = row;
  return {
    run: run.created.run,
    segment: segment.segment,
    kind,
    index,
    title: run.created.title,
    tokens,
    ...countMasks([row]),
    split,
    firstStep: steps[0]?.step ?? 0,
    lastStep: steps.at(-1)?.step ?? 0,
  };
}

/** Rows `[from, from + limit)` of a variant, in the order of its files, and how many there are. */
export function rowPage(
  plan: Pick<ExportPlan, 'variants'>,
  { variant, from, limit }: { variant?: ExportVariant | undefined; from: number; limit: number },
): { rows: RowView[]; of: number } {
  const { rows } = variantPlan(plan, variant);
  const page = rows.slice(from, from + limit).map((row, index) => rowView(row, from + index));
  return { rows: page, of: rows.length };
}

/** The longest rows first; equal ones in the order of the files. */
export function longestRows({ rows }: VariantPlan, limit: number): RowView[] {
  return rows
    .map((row, index) => ({ row, index }))
    .sort((a, b) => b.row.tokens - a.row.tokens || a.index - b.index)
    .slice(0, limit)
    .map(({ row, index }) => rowView(row, index));
}
