/** What became of files in a run, folded from the `file.changed` events of its log and of the runs it branched from. */

export interface FileView {
  computer: string;
  path: string;
  revisions: number;
  /** Step of the last change. */
  lastStep: number;
  /** The last change took it away. */
  removed: boolean;
}

/** A page of files, the one changed last first. `total`: how many match in all. */
export interface FilePage {
  files: FileView[];
  total: number;
}

export interface FileRevision {
  computer: string;
  path: string;
  /** 1-based per path, those of the runs it branched from counted in; 0 is the content before the first change. */
  revision: number;
  step: number;
  seq: number;
  before: string | null;
  after: string | null;
  /** Bytes after the change. */
  size: number;
  by: 'action' | 'shell';
  /** Lines against the revision before; null = not counted yet, or no text was kept. */
  added: number | null;
  removed: number | null;
  /** Where the same content went or came from in the same step, when one path vanished and another appeared. */
  movedTo: string | null;
  movedFrom: string | null;
  /** The run whose step made it, when that is not the run that was asked for. */
  inheritedFrom: string | null;
}

/** Revisions `first`, `first + 1`, ...; `chosen`: the one in force at the step or number asked for, 0 = before the first. */
export interface RevisionPage {
  revisions: FileRevision[];
  first: number;
  total: number;
  chosen: number;
}

/** Lines added and removed; null = no text of one side was kept. */
export interface LineCounts {
  revision: number;
  counts: { added: number; removed: number } | null;
}

/**
 * A file at a revision. `absent`: it did not exist. The log keeps texts up to 1 MB: `binary` and `large` ones by their
 * hash only; `purged`: its text was removed. `unknown`: of a content before the first change only the hash was kept.
 */
export type FileContent =
  | { kind: 'text'; text: string; size: number; sha256: string | null }
  | { kind: 'absent' }
  | { kind: 'binary' | 'large' | 'purged' | 'unknown'; size: number | null; sha256: string | null };
