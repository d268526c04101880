import type { ExportOptions, ExportVariant } from '@shared/contract/export-request';
import type { FilterCount, RedactionView, RowView, VariantCounts } from '@shared/contract/export-views';

/** What the commands of the export answer, until their rows are there. */
export interface PreviewNow {
  snapshot: string;
  /** All variants that were asked for, from one snapshot. */
  variants: (VariantCounts & { dropped: { reason: string; count: number }[] })[];
  undecided: { run: string; steps: number[]; total: number }[];
  noTools: { run: string; rows: number }[];
  inherited: { run: string; steps: number }[];
  filtered: FilterCount[];
  duplicates: { run: string; kept: string }[];
  unfinished: number;
  longest: RowView[];
}

export type OptionsInput = Partial<ExportOptions>;

export interface RowPage {
  rows: RowView[];
  of: number;
}

export interface RowQuery {
  options: OptionsInput;
  variant: ExportVariant;
  from: number;
  limit: number;
}

export type FindingsNow = RedactionView;
