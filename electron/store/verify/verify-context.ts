import type { WaymarkError } from '@shared/contract/errors';
import type { VerifyProblem } from '@shared/contract/views';
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

/** The next step of an error met elsewhere: here it would send people round in a circle. */
const ADVICE = / Run "verify"[^.]*\.(?= |$)/;

/** What an error says of the damage, for a report of `verify`. */
export function findingOf({ message, detail }: WaymarkError): Pick<VerifyProblem, 'message' | 'detail'> {
  return { message: message.replace(ADVICE, ''), ...(detail === undefined ? {} : { detail }) };
}
