import { z } from 'zod';
import { hostAliasSchema, type OwnTerminal } from '../computers';
import type { SessionHit } from '../search/views';
import type { SessionAt, SessionView } from '../views';
import { type CommandRows, inRun, none, page, returns, run, uid } from './parts';

/** A piece of a terminal's output as the screen may have it. Offsets count raw bytes. */
export interface TerminalPage {
  offset: number;
  /** Where the next page begins; equal to `offset` at the end of the log. */
  endOffset: number;
  bytes: Uint8Array;
}

const pixels = z.number().min(-100_000).max(100_000);
const ownPlace = z.object({ id: uid, x: pixels, y: pixels, width: pixels, height: pixels });
/** Room for the view of an own terminal, in pixels of the page. */
export type OwnPlace = z.infer<typeof ownPlace>;

/**
 * Terminals of the agent (`sessions`) and which of the person's own there are (`own`). Nothing here types into
 * an own terminal or reads what it prints: that is the contract of their view (`own-terminal.ts`).
 */
export const sessionCommands = {
  'sessions.list': { input: inRun, output: returns<SessionView[]>(), place: 'workspace', consent: 'free' },
  /** As they were when the step was over; one that was opened later is not among them. */
  'sessions.at': {
    input: inRun.extend({ step: z.int().positive() }),
    output: returns<SessionAt[]>(),
    place: 'workspace',
    consent: 'free',
  },
  /**
   * Bytes for a terminal, already passed through the view filter. `offset` counts raw bytes. `live`: what follows comes
   * as `live.session` with this number of the window's choosing, as long as the session is watched and the window says
   * what it has taken (`sessions.seen`).
   */
  'sessions.read': {
    input: z.object({ run, uid, ...page }),
    output: returns<TerminalPage>(),
    place: 'workspace',
    consent: 'free',
  },
  'sessions.watch': {
    input: z.object({ run, uids: z.array(uid).max(64) }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'free',
  },
  /** The terminal has parsed everything up to here; a few frames without this word and no more are sent. */
  'sessions.seen': {
    input: z.object({ run, uid, offset: z.int().nonnegative() }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Lines that contain the text, across all sessions of a run, oldest first per session. */
  'sessions.search': {
    input: z.object({
      run,
      query: z.string().min(1).max(400),
      uids: z.array(uid).max(64).optional(),
      limit: z.int().min(1).max(500),
    }),
    output: returns<{ hits: SessionHit[]; truncated: boolean }>(),
    place: 'workspace',
    consent: 'free',
  },
} as const satisfies CommandRows;

export const ownCommands = {
  'own.list': { input: none, output: returns<OwnTerminal[]>(), place: 'window', consent: 'free' },
  'own.open': {
    input: z.object({
      computer: z.union([z.literal('local'), hostAliasSchema]),
      /** Starts in the workspace of this run where the computer has it, else at home. */
      run: run.nullable(),
      rows: z.int().min(2).max(500),
      cols: z.int().min(2).max(1000),
    }),
    output: returns<OwnTerminal>(),
    place: 'window',
    consent: 'gesture',
  },
  /**
   * Where the page has left room for the view of this own terminal, in its own pixels; too small a room hides it for now,
   * null: none is looked at. `wasIn`: the view had the keyboard and gave it back, because it is no longer there or shows
   * another terminal.
   */
  'own.place': {
    input: ownPlace.nullable(),
    output: returns<{ wasIn: boolean }>(),
    place: 'window',
    consent: 'free',
  },
  /** The keyboard goes into the view that is shown. */
  'own.enter': { input: none, output: returns<void>(), place: 'window', consent: 'choice' },
} as const satisfies CommandRows;
