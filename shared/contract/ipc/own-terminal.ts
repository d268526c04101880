import { z } from 'zod';
import type { LinkHealth, OwnTerminal } from '../computers';
import type { Result } from '../errors';
import type { Settings } from '../settings';
import { type Consent, none, type Output, page, returns, uid } from './parts';
import type { TerminalPage } from './terminals';

/**
 * The contract of the view in which a person's own terminals are typed into. It is a page of its own with a bridge of its
 * own: the window's page has none of these commands, and this one has none of the window's.
 */
export const ownTerminalCommands = {
  /** What the view shows now; read again whenever `view.changed` says so. */
  'view.state': { input: none, output: returns<OwnTerminalState>() },
  /** The keyboard goes back to the window's page, which then does what `command` of its key table says. */
  'view.leave': { input: z.object({ command: z.string().max(80) }), output: returns<void>() },
  /** The view has another size or zoom; the window's page takes over a zoom that was made here. */
  'view.sized': { input: none, output: returns<void>() },
  /** Main shows the whole address and asks before anything is opened. */
  'view.openExternal': { input: z.object({ url: z.url({ protocol: /^https?$/ }) }), output: returns<void>() },
  /** As `sessions.read`; @throws ComputerUnavailable while its link is away. */
  'own.read': { input: z.object({ id: uid, ...page }), output: returns<TerminalPage>() },
  'own.watch': { input: z.object({ ids: z.array(uid).max(64) }), output: returns<void>() },
  'own.seen': { input: z.object({ id: uid, offset: z.int().nonnegative() }), output: returns<void>() },
  /** Types into the person's own terminal; refused at once while its link is not up. */
  'own.write': { input: z.object({ id: uid, bytes: z.instanceof(Uint8Array) }), output: returns<void>() },
  'own.resize': {
    input: z.object({ id: uid, rows: z.int().min(2).max(500), cols: z.int().min(2).max(1000) }),
    output: returns<void>(),
  },
  'own.close': { input: z.object({ id: uid }), output: returns<void>() },
} as const;

/** What main must have seen of a person in the view itself; a press in the window's page is none here. */
export const ownTerminalConsents = {
  'view.state': 'free',
  'view.leave': 'press',
  'view.sized': 'free',
  'view.openExternal': 'native',
  'own.read': 'free',
  'own.watch': 'free',
  'own.seen': 'free',
  'own.write': 'present',
  'own.resize': 'free',
  'own.close': 'gesture',
} as const satisfies Record<OwnTerminalCommand, Consent>;

export type OwnTerminalCommand = keyof typeof ownTerminalCommands;
type OwnCommands = typeof ownTerminalCommands;
export type OwnTerminalInput<C extends OwnTerminalCommand> = z.input<OwnCommands[C]['input']>;
export type OwnTerminalParsed<C extends OwnTerminalCommand> = z.output<OwnCommands[C]['input']>;
export type OwnTerminalOutput<C extends OwnTerminalCommand> =
  OwnCommands[C]['output'] extends Output<infer T> ? T : never;

export interface OwnTerminalState {
  /** Null while none is shown. */
  terminal: OwnTerminal | null;
  /** Of its computer; null for this one. */
  health: LinkHealth | null;
  settings: Pick<Settings, 'theme' | 'language' | 'keys'>;
}

/** Pushed from main to the view. */
export interface OwnTerminalEvents {
  'view.changed': Record<string, never>;
  /** The view was shown or moved: a click that follows at once was meant for something else. */
  'view.moved': Record<string, never>;
  'live.own': TerminalPage & { id: string; live: number };
}

/** What preload exposes in the view: the same two functions as in the window, with these commands and events only. */
export interface OwnTerminalBridge {
  invoke(command: OwnTerminalCommand, input: unknown): Promise<Result<unknown>>;
  on(event: keyof OwnTerminalEvents, listener: (payload: unknown) => void): () => void;
}
