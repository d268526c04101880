import { z } from 'zod';
import { idSchema } from '../id';

/**
 * What the main process must have seen of a person before it does what the page asks, because the page may have been taken
 * over by what it shows:
 * - `free`: nothing. It looks, or what it writes can be seen and taken back (labels, comments), or it only holds back.
 * - `present`: some key or click in the window within the last minute.
 * - `gesture`: a key or click within the last second, or the end of such a command, within ten seconds of the press.
 * - `choice`: as `gesture`, and what was pressed types nothing: a button of the mouse, Enter, or a key with Ctrl or Cmd. For
 *   what moves the keyboard to where keys mean something else.
 * - `press`: a key or click within the last second that no other `press` command has used: one for each.
 * - `native`: the system's own dialog, which main shows, names what it is about or chooses the path.
 *
 * A gesture is what Chromium's own process got from the system (`electron/ipc/gestures.ts`); events that the page makes up
 * are none. Where only some inputs of a command need a native question, its handler asks beside this (`computers.answer`).
 */
export type Consent = 'free' | 'present' | 'gesture' | 'choice' | 'press' | 'native';

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
  /**
   * A long answer that is plain JSON reaches the window as one text: objects are copied value by value at each border, which takes
   * longer than the reading.
   */
  asText?: true;
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
