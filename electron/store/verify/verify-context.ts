import type { BlobStore } from '../file/blob-store';
import type { Statements } from '../file/rows';
import type { StepProjector } from '../projections/step-projector';

/** `logs`: what was recorded, chain by chain and byte by byte. `all`: also everything that is derived from it. */
export type VerifyDepth = 'logs' | 'all';

export interface VerifyContext {
  folder: string;
  statements: Statements;
  blobs: BlobStore;
  projector: StepProjector;
  depth: VerifyDepth;
  /** Lets other messages of the thread through; called between pieces of work. */
  breathe(): Promise<void>;
}
