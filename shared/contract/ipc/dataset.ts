import { z } from 'zod';
import { type ExportVariant, exportRequestSchema, exportVariants } from '../export-request';
import type {
  DatasetDifference,
  DatasetView,
  ExportJob,
  FilterCount,
  RowName,
  RowView,
  VariantCounts,
} from '../export-views';
import { atStep, type CommandRows, none, returns } from './parts';

const inJob = z.object({ job: z.string().min(1).max(80) });
/** Id of a dataset: sha256 of its manifest. */
const dataset = z.string().regex(/^[0-9a-f]{64}$/);

/** Exports. */
export const datasetCommands = {
  /** All that is asked for in `variants` is counted, from one plan. */
  'export.preview': {
    input: exportRequestSchema,
    output: returns<ExportPreview>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Rows `[from, from + limit)` of a variant in the order of its files. Quick after a preview with the same options. */
  'export.rows': {
    input: z.object({
      options: exportRequestSchema,
      variant: z.enum(exportVariants),
      from: z.int().nonnegative(),
      limit: z.int().min(1).max(500),
    }),
    output: returns<RowPage>(),
    place: 'workspace',
    consent: 'free',
  },
  /**
   * Asks for the target folder in the main process and begins to write there; null = cancelled. `export.progress` tells how far
   * the job is.
   */
  'export.start': {
    input: exportRequestSchema,
    output: returns<ExportJob | null>(),
    place: 'disk',
    consent: 'native',
    there: 'export --format FORMAT --out DIR',
  },
  /** Exports of this window, and those of the open workspace that a killed process left unfinished (`paused`, `resumed`). */
  'export.jobs': { input: none, output: returns<ExportJob[]>(), place: 'window', consent: 'free' },
  'export.pause': { input: inJob, output: returns<ExportJob>(), place: 'window', consent: 'free' },
  /** Also takes up what a killed process had left. */
  'export.resume': { input: inJob, output: returns<ExportJob>(), place: 'window', consent: 'gesture' },
  /** Ends the job and deletes what it has written so far; a job that is over only leaves the list. */
  'export.cancel': { input: inJob, output: returns<ExportJob[]>(), place: 'window', consent: 'gesture' },
  /** Past exports of the workspace, newest first. */
  'datasets.list': { input: none, output: returns<DatasetView[]>(), place: 'workspace', consent: 'free' },
  /** `steps` holds at most 2,000; `count` is whole. */
  'datasets.difference': {
    input: z.object({ a: dataset, b: dataset }),
    output: returns<DatasetDifference>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Datasets that hold a step, newest first. */
  'datasets.forStep': {
    input: atStep,
    output: returns<StepInDataset[]>(),
    place: 'workspace',
    consent: 'free',
  },
  /** From where a record of a data file is; null: no single row, or there is no such record. `record` counts from 1. */
  'datasets.row': {
    input: z.object({ dataset, file: z.string().min(1).max(400), record: z.int().positive() }),
    output: returns<RecordOrigin | null>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Takes a dataset out of the list. Its folder stays as it is. */
  'datasets.forget': {
    input: z.object({ dataset }),
    output: returns<DatasetView[]>(),
    place: 'workspace',
    consent: 'gesture',
  },
  /** Shows the folder of a dataset, or of an export that was written, in the system's file manager. */
  'datasets.openFolder': {
    input: z.union([z.object({ dataset }), inJob]),
    output: returns<void>(),
    place: 'window',
    consent: 'gesture',
  },
  /** Begins another export with the options of an earlier one and today's labels; asks for its folder. null = cancelled. */
  'datasets.again': {
    input: z.object({ dataset }),
    output: returns<ExportJob | null>(),
    place: 'disk',
    consent: 'native',
    there: 'export --format FORMAT --out DIR',
  },
} as const satisfies CommandRows;

/** Where a step stands in one variant of a past export; rows in which it is context only do not count. */
export interface StepInDataset {
  dataset: DatasetView;
  variant: ExportVariant;
  mask: 0 | 1;
  /** Who decided; null: waived, or nobody was asked (`unmasked`). */
  source: string | null;
  /** Rule, criterion or initials. */
  reason: string | null;
  /** Data files and the records in them (from 1, inclusive) that hold it, the first 20. */
  places: { file: string; from: number; to: number }[];
}

/** The row of the plan that a record was made from. */
export interface RecordOrigin extends RowName {
  /** Steps that train or are masked in this record, ascending. */
  steps: { step: number; mask: 0 | 1; source: string | null; reason: string | null }[];
  /** First step that the record trains, else the first in it: where a window goes. */
  step: number;
}

/** Inherited steps that are masked although the preset trains them, because the run they were made in is not exported. */
export interface InheritedCount {
  run: string;
  steps: number;
}

export interface VariantPreview extends VariantCounts {
  dropped: { reason: string; count: number }[];
}

export interface RowPage {
  rows: RowView[];
  /** Rows of the variant, also those that were not asked for. */
  of: number;
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
  variants: VariantPreview[];
  /** Of the labels and logs that the plan rests on. */
  snapshot: string;
  /** Steps without all their observations, left out. */
  unfinished: number;
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
  /** Names that were allowed to stand and that nothing in the rows has: a slip, or gone since. */
  allowedNotFound: string[];
  /** Rows with messages that the requests of some of their steps held otherwise. */
  notAsSent: number;
  inherited: InheritedCount[];
  files: { path: string; bytes: number; sha256: string }[];
  snapshot: string;
  /** `trained`, `masked` and `dropped` above are those of the first. */
  variants: VariantCounts[];
}
