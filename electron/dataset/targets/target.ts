import type { Trajectory } from '@shared/context/trajectory';
import type { Compression, Encoding, ExportFormat, ExportVariant } from '@shared/contract/export-request';
import type { DatasetReader } from '../event-pages';
import type { ExportPlan, RowPlan } from '../plan';
import type { DatasetRow } from '../rows';

/** What records of one variant are made from besides their row. */
export interface TargetContext {
  plan: ExportPlan;
  reader: DatasetReader;
  variant: ExportVariant;
  /** Form of a call's arguments in the records: the model's own text, or the object it means. */
  argumentsForm: 'string' | 'object';
  signal?: AbortSignal | undefined;
}

/** One record of a data file: a line of JSON, an element of a JSON array or a row of a Parquet file. */
export interface TargetRecord {
  value: Readonly<Record<string, unknown>>;
  /** Assistant messages that get loss in it. */
  trained: number;
  /** With the encoding `documents`: name of the record's file, which other documents refer to. */
  name?: string;
  /** Records of different parts go into files of their own, where a loader weights whole files. Absent: one file for all. */
  part?: Trajectory['kind'];
  /** In `rest`: the row it belongs to, whose split it shares. Absent: the split of the row being written, else `train`. */
  of?: RowPlan | undefined;
  /** Steps of its row that it is about, where a row makes several records. Absent: all of them. */
  steps?: readonly number[];
}

/** Why something of the plan is in no record, in words that people read, and how often. */
export interface TargetDrop {
  why: string;
  count: number;
}

/** Makes the records of one variant. Rows come in the order of the plan, each once, whatever the preset's repetition. */
export interface RecordMaker {
  /** Records of one row, in order; the same row makes the same records. */
  records(row: DatasetRow): Iterable<TargetRecord>;
  /** Records that need every row: written after the last one. */
  rest?(): AsyncIterable<TargetRecord> | Iterable<TargetRecord>;
  /** What was left out so far. */
  dropped(): TargetDrop[];
  /**
   * What it remembers of the rows so far, as data that a structured clone keeps; `restore` of a new maker of the same plan takes
   * it back. Without these two an export that was killed writes its records again from the first row.
   */
  save?(): unknown;
  restore?(saved: unknown): void;
}

/** Of a maker whose records depend on their row alone. */
export const remembersNothing = { save: () => null, restore: () => undefined };

/** A column of a Parquet file, as hyparquet-writer takes it. */
export interface ParquetLayout {
  /** The schema's elements, root first (`hyparquet`'s `SchemaElement`). */
  schema: readonly Readonly<Record<string, unknown>>[];
  columns: readonly string[];
  /**
   * What of a record goes into the columns; absent: the record as it is.
   * @throws WaymarkError `unsupported` for a record that the columns cannot hold
   */
  row?(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

export interface DataFile {
  /** Relative to the dataset's folder. */
  path: string;
  variant: ExportVariant;
  split: 'train' | 'validation';
  records: number;
  /** Only records of this part are in it (`TargetRecord.part`). */
  part?: Trajectory['kind'];
}

export interface ExtraFile {
  path: string;
  text: string;
}

/** What the README and the files beside the data are written from. */
export interface TargetFacts {
  plan: ExportPlan;
  files: readonly DataFile[];
  argumentsForm: 'string' | 'object';
  compression: Compression;
  dropped: readonly TargetDrop[];
}

/**
 * A format that a dataset can be written in. Pure but for `begin`: same rows, same bytes. The README's frame (counts, snapshot,
 * waivers, the card for Hugging Face) is the same for all; a target adds how its loader reads the files and what its traps are.
 */
export interface Target {
  format: ExportFormat;
  /** Name of the trainer or reader. */
  title: string;
  /** How records are stored; the first is the default. `array` is one JSON array in one file. */
  encodings: readonly Encoding[];
  compressions: readonly Compression[];
  /** Trajectories it takes rows of. */
  kinds: readonly Trajectory['kind'][];
  /** Form of a call's arguments: fixed by the loader, or `template` where the model's chat template decides. */
  argumentsForm: 'string' | 'object' | 'template';
  /** How a preset repeats a row: literally, by a weight that the README or an extra file states, or not at all. */
  repeats: 'rows' | 'weight' | 'never';
  /** Rows in which no step trains: left out, because the trainer would build a corrupt sample, unless `keep` is said. */
  untrained?: 'keep';
  /** `ignored`: its records hold no masks, so steps that nobody decided do not stop an export. */
  undecided?: 'ignored';
  /** Records that one row of the plan makes, before it is read; absent: one. Repetition is not counted here. */
  recordsOf?(row: RowPlan): number;
  /**
   * `messages`: its records hold those of their rows, or one made of each, and no copies of their own; absent: copies, which share
   * their texts. Redaction makes copies of what it changes either way.
   */
  shared?: 'messages';
  /** With `encodings` `parquet`. */
  parquet?: ParquetLayout;
  begin(context: TargetContext): Promise<RecordMaker> | RecordMaker;
  /** Files beside the data: a template, a list of datasets. */
  extras?(facts: TargetFacts): ExtraFile[];
  /** Markdown below the heading `## Load`: the trainer's exact command, fields, traps. */
  readme(facts: TargetFacts): string;
  /**
   * What the loader would refuse or silently mangle in a record, in words that name the field; empty when it takes it as meant.
   * Every record is checked before it is written, and again by `export verify`.
   */
  problems(value: Readonly<Record<string, unknown>>): string[];
}
