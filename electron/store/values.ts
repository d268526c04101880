import type { AnnotationEntry, AnnotationOp, AnnotationTarget } from '@shared/log/annotations';
import type { OutboxEntry } from '@shared/log/outbox';

/** What an id of outbox or annotation log may name. */
export type StoredEntry = { outbox: OutboxEntry } | { annotation: AnnotationEntry };

/** What an undo took out: `unit` in the order it was stored, `undid` its last, and the last entry that did it. */
export interface Undone {
  entry: AnnotationEntry;
  undid: AnnotationEntry;
  unit: AnnotationEntry[];
}

export interface Redone {
  entry: AnnotationEntry;
  redid: AnnotationEntry;
  unit: AnnotationEntry[];
}

/** What is said of which steps. */
export interface Said {
  target: AnnotationTarget;
  op: AnnotationOp;
}

export interface StoredChunk {
  offset: number;
  bytes: Uint8Array;
  receivedAt: number;
  hostAt: number | null;
}

/** A tool as the model saw it; `parameters` is its JSON schema. */
export interface OfferedTool {
  name: string;
  parameters: Record<string, unknown>;
}

export interface StoredTask {
  id: string;
  title: string;
  domain: string | null;
  /** sha256 of the package's content. */
  hash: string;
  /** Folder below the workspace that holds the pinned copy. */
  folder: string;
  spec: Record<string, unknown>;
  addedAt: number;
}

/** A file as the run's actions name it. */
export interface FileKey {
  computer: string;
  path: string;
}
