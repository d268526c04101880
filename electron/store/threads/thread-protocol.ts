import type { Failure } from '@shared/contract/errors';
import type { ReadOnly } from '../file/read-only';
import type { StoreNotice } from '../notices';

/** What a thread is opened with; plain data only. */
export interface ThreadData {
  folder: string;
  /** `index` searches, verifies and backs up; `read` answers everything else; `restore` looks into a damaged workspace, `merge` into another log. */
  role: 'write' | 'read' | 'index' | 'restore' | 'merge';
  device: string | null;
  /** The application's data folder. */
  data: string | null;
  ballastBytes: number;
  backupEveryMs: number | null;
  readOnly: ReadOnly;
  /** The writing thread answers bounded reads as well. */
  alsoReads?: boolean;
  /** Electron's resources folder, which its worker threads do not know. */
  resourcesPath: string | null;
}

/** The first one is `open` with its `ThreadData`, or `close`. */
export interface ThreadCall {
  id: number;
  method: string;
  args: unknown[];
}

export type ThreadMessage =
  | { type: 'ready' }
  | { type: 'refused'; failure: Failure }
  | { type: 'result'; id: number; value: unknown }
  | { type: 'failure'; id: number; failure: Failure }
  | { type: 'notice'; notice: StoreNotice };
