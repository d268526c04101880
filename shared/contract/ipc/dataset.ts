import { z } from 'zod';
import { rowReasonings } from '../../context/trajectory';
import type { FilterCount, RowView, VariantCounts } from '../export-views';
import { type CommandRows, returns, run } from './parts';

export const exportSchema = z.object({
  runs: z.array(run),
  undecided: z.enum(['refuse', 'train', 'mask']),
  preset: z.enum(['default', 'apollo']).default('default'),
  /** Default: as the preset says. */
  reasoning: z.enum(rowReasonings).optional(),
  noTools: z.enum(['refuse', 'allow']).default('refuse'),
});

/** Exports. */
export const datasetCommands = {
  'export.preview': {
    input: exportSchema,
    output: returns<ExportPreview>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Asks for the target folder in the main process; null = cancelled. */
  'export.start': {
    input: exportSchema,
    output: returns<ExportResult | null>(),
    place: 'disk',
    consent: 'native',
    there: 'export --format slime --out DIR',
  },
} as const satisfies CommandRows;

/** Inherited steps that are masked although the preset trains them, because the run they were made in is not exported. */
export interface InheritedCount {
  run: string;
  steps: number;
}

export interface ExportPreview {
  rows: number;
  steps: number;
  trained: number;
  masked: number;
  undecided: { run: string; steps: number[]; total: number }[];
  dropped: { reason: string; count: number }[];
  /** Rows of imports for which nobody tells the tools; they stop the export unless it is waived. */
  noTools: { run: string; rows: number }[];
  inherited: InheritedCount[];
  bySource: { source: string; value: 'train' | 'mask'; count: number }[];
  tokens: number;
  /** The fields above are those of the first. */
  variants: VariantCounts[];
  /** What filters took out, in the order in which they are asked. */
  filtered: FilterCount[];
  /** The longest rows of the first variant. */
  longest: RowView[];
  /** Runs of a task and sample of which another run, `kept`, has the better score; left out where that was asked for. */
  duplicates: { run: string; kept: string }[];
  /** Tasks on each side; null without a split. */
  split: { train: number; validation: number } | null;
}

export interface ExportResult {
  folder: string;
  rows: number;
  trained: number;
  masked: number;
  dropped: { reason: string; count: number }[];
  /** Rows with messages that the requests of some of their steps held otherwise. */
  notAsSent: number;
  inherited: InheritedCount[];
  files: { path: string; bytes: number; sha256: string }[];
  snapshot: string;
  /** `trained`, `masked` and `dropped` above are those of the first. */
  variants: VariantCounts[];
}
