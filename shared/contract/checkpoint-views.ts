import type { EventBody } from '../log/events';

export type CheckpointView = EventBody<'checkpoint.made'> & { seq: number; at: number };

export interface CheckpointSize {
  files: number;
  bytes: number;
  /** Not yet in an earlier checkpoint. */
  newFiles: number;
  newBytes: number;
  /** Patterns that are left out, from the task and the defaults. */
  excluded: string[];
  freeBytes: number | null;
}

/** What a branch after a step would hold, to look at before it is made. */
export interface BranchPlan {
  run: string;
  step: number;
  /** The newest checkpoint at or before the step; null = there is none, and the workspace starts as the task's. */
  checkpoint: CheckpointView | null;
  /** Steps between the checkpoint and `step`: what they changed in files is not in the copy. */
  stepsAfter: number;
  /** Hints that stand in the context and may be left out. */
  hints: { id: string; number: number; step: number; text: string }[];
  contextSteps: number;
  contextTokens: number;
  /** The limit on money it goes on with: another model then needs a price. Null = none. */
  maxCost: number | null;
  /** Sessions of the checkpoint, and what will not run again. */
  notRestarted: { computer: string; session: string; command: string }[];
}

export interface LineageNode {
  run: string;
  title: string;
  /** Null for the root; `gone`: the parent was removed. */
  parent: { run: string; step: number; gone: boolean } | null;
  steps: number;
  state: string;
  best: number | null;
  checkpoints: { checkpoint: string; step: number }[];
}

export interface Lineage {
  /** All runs of the family, parents before children. */
  nodes: LineageNode[];
}
