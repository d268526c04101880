import { z } from 'zod';
import { idSchema } from '../id';
import type { Consent } from './consents';

/** Carries an output type without a run-time schema: outputs come from our own process. */
export interface Output<T> {
  readonly type?: T;
}

export function returns<T>(): Output<T> {
  return {};
}

/**
 * One command of the window: what it takes and answers, what main must have seen of a person before, and where it belongs while
 * the window shows a workspace on a server.
 */
export type CommandRow = {
  input: z.ZodType;
  output: Output<unknown>;
  consent: Consent;
} & (
  | {
      /** Answered where the workspace is: here, or by the server. */
      place: 'workspace';
      /** A write of a person that is kept here while the server is away. */
      late?: true;
    }
  | {
      /** Answered here as ever. */
      place: 'window';
      /** What the window's view of a server does once it was answered; not where the answer was null. */
      afterwards?: 'retries the server' | "shows this machine's workspace";
    }
  | {
      /** It would need the server's workspace and this machine's disk, or the word of the person at that machine: refused. */
      place: 'disk';
      /** The command line that does it there. */
      there: string;
    }
);
export type CommandRows = Readonly<Record<string, CommandRow>>;

/** Inputs that many commands share. */
export const none = z.undefined();
export const run = idSchema;
export const step = z.int().positive();
export const inRun = z.object({ run });
/**
 * A person was asked by the main process whether the run goes on without isolation, and said yes. The main process alone says
 * so: what a page sends here is overwritten (`electron/app/ask-unisolated.ts`).
 */
export const unisolated = z.boolean().default(false);
export const atStep = z.object({ run, step });
export const uid = z.string().min(1).max(120);
export const filePath = z.object({ run, computer: z.string().max(120), path: z.string().max(4096) });
export const page = {
  offset: z.int().nonnegative(),
  maxBytes: z.int().min(1).max(1_048_576),
  live: z.int().nonnegative().optional(),
};
export const direction = z.union([z.literal(1), z.literal(-1)]);
