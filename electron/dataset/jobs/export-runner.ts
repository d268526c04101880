import type { ExportOptions } from '@shared/contract/export-request';
import type { RedactionView } from '@shared/contract/export-views';
import type { ExportResult } from '@shared/contract/ipc/dataset';
import type { PrivateSources } from '../redaction/settings';

/** What one export is started with; plain data, as it goes to a thread. */
export interface ExportTask {
  /** ULID; names the partial folder's journal and the workspace's note of it. */
  job: string;
  /** Folder of the workspace. */
  workspace: string;
  /** Absolute folder of the dataset. */
  out: string;
  options: ExportOptions;
  /** See `ExportRequest.templateWants`. */
  templateWants?: 'string' | 'object' | undefined;
  /**
   * What was left of the same request in the same place goes on: `same` if runs, labels and rules are still those of its
   * snapshot, `pinned` with the snapshot that it began with.
   */
  goOn: 'same' | 'pinned';
  /** What must not leave this installation: redaction takes it out. Kept in memory alone. */
  sources?: PrivateSources | undefined;
  /** Keep a note of the export in the workspace; false where nothing may be written there. */
  register: boolean;
}

export interface ExportProgress {
  /** Events read and to be read, over all passes. */
  done: number;
  total: number;
  records: number;
  /** Bytes of data files. */
  bytes: number;
  /** Events of `done` that were taken over from a process that was killed. */
  skipped: number;
}

/** What an export says when it is over. */
export interface ExportDone {
  result: ExportResult;
  /** Id in the workspace's list of datasets; null where it is not kept there, and why. */
  dataset: string | null;
  notKept: string | null;
  /** Work was taken over from a process that was killed. */
  resumed: boolean;
}

/** An export under way, elsewhere or here. */
export interface RunningExport {
  /** Rejects with `cancelled` after `cancel` and `stop`, else with why it failed. */
  done: Promise<ExportDone>;
  pause(): void;
  resume(): void;
  /** Nothing of it stays. */
  cancel(): void;
  /** What was written stays, so that it can go on later. */
  stop(): void;
}

/** What the report of secrets before an export is asked with; plain data, as it goes to a thread. */
export interface FindingsTask extends Pick<ExportTask, 'workspace' | 'options' | 'sources'> {}

/** Goes over the rows of an export to be: in a thread of its own (`FindingsThreads`), or in tests here. Rejects with `cancelled`. */
export type FindingsRunner = (task: FindingsTask, signal: AbortSignal) => Promise<RedactionView>;

/** Starts an export: in a thread of its own (`exportApart`), or in tests here. */
export type ExportRunner = (task: ExportTask, tell: (progress: ExportProgress) => void) => RunningExport;
