import { z } from 'zod';
import type { WorkspaceStatus } from './application';
import { type CommandRows, none, returns } from './parts';

/** What a copy of hints and labels holds. */
export interface BackupContents {
  runs: number;
  /** Entries of the annotation log: labels, votes, comments, assignments. */
  labels: number;
  hints: number;
  /** Names of the people whose labels it holds. */
  people: string[];
}

/** One copy in a workspace's backups folder, newest first in lists. */
export interface BackupRow {
  /** The file's name. */
  name: string;
  at: number;
  bytes: number;
  /** Null: it cannot be read; `problem` says why. */
  contents: BackupContents | null;
  problem: string | null;
}

/** What became of one run. */
export interface RestoredRun {
  id: string;
  /** '' when nothing names it. */
  title: string;
  /** `log`: its events were readable and whole; `lost`: they were not; `removed`: somebody had removed it before. */
  state: 'log' | 'lost' | 'removed';
  steps: number;
  /** Entries about it that were brought back; those of a lost run wait for it. */
  labels: number;
  hints: number;
  /** Why its log is lost, or what of its files is: for people. Empty when it is whole. */
  notes: string[];
}

export interface RestoreReport {
  /** The new workspace. */
  folder: string;
  /** The backup that was read; null when only the damaged workspace was. */
  backup: string | null;
  /** The workspace that was read beside it; null when there was none. */
  from: string | null;
  /** Everything that was recorded and is known of came back. */
  complete: boolean;
  runs: RestoredRun[];
  labels: number;
  hints: number;
  people: string[];
  /** What could not be brought back and belongs to no run: for people. */
  notes: string[];
  /** What a person should look at although it came back. */
  remarks: string[];
}

/** Bringing back what a damaged workspace still holds, into a new folder. Nothing is ever overwritten. */
export const restoreCommands = {
  /** Copies of the workspace that is open, or of the one that could not be opened. */
  'workspace.backups': {
    input: none,
    output: returns<{ folder: string; backups: BackupRow[] }>(),
    place: 'window',
    consent: 'free',
  },
  /** Asks for a new folder, restores into it, and opens it. `backup`: a name of the list, null: without one. Null: cancelled. */
  'workspace.restore': {
    input: z.object({ backup: z.string().max(200).nullable() }),
    output: returns<{ report: RestoreReport; status: WorkspaceStatus } | null>(),
    place: 'window',
    consent: 'native',
  },
} as const satisfies CommandRows;
