import { z } from 'zod';
import { returns, run } from './parts';

export const exportSchema = z.object({
  runs: z.array(run),
  undecided: z.enum(['refuse', 'train', 'mask']),
  preset: z.enum(['default', 'apollo']).default('default'),
});

/** Exports. */
export const datasetCommands = {
  'export.preview': { input: exportSchema, output: returns<ExportPreview>() },
  /** Asks for the target folder in the main process; null = cancelled. */
  'export.start': { input: exportSchema, output: returns<ExportResult | null>() },
} as const;

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
  inherited: InheritedCount[];
  bySource: { source: string; value: 'train' | 'mask'; count: number }[];
  tokens: number;
}

export interface ExportResult {
  folder: string;
  rows: number;
  trained: number;
  masked: number;
  dropped: { reason: string; count: number }[];
  inherited: InheritedCount[];
  files: { path: string; bytes: number; sha256: string }[];
  snapshot: string;
}
