import { z } from 'zod';
import { hostAliasSchema } from '../computers';
import type { Failure } from '../errors';
import { type CommandRows, none, returns, run } from './parts';

/** A workspace on a server, driven by `waymark serve` there and shown in this window. */
export interface RemoteStatus {
  alias: string;
  folder: string;
  state: 'connecting' | 'up' | 'down' | 'refused';
  message: string;
  /** Writes made while it was away, which are sent when it is back. */
  waiting: number;
  /** Writes made while it was away that it refused when it was back; shown until a person has seen them. */
  refused: RefusedWrite[];
  /** Version of the program there. */
  version: string | null;
}

/** A hint, label or control request that was made while the server was away and came too late. */
export interface RefusedWrite {
  id: string;
  /** Command of the contract. */
  command: string;
  run: string;
  /** What was written, shortened; empty where there is no text. */
  text: string;
  /** When it was made, ms. */
  at: number;
  failure: Failure;
}

export const remoteCommands = {
  /** Opens a workspace on a host in place of the one that is open; null state = local. */
  'remote.open': {
    input: z.object({
      alias: hostAliasSchema,
      /** Absolute folder on the host; empty = the default one there. */
      folder: z.string().max(4096),
      /** How to start the program there, e.g. `waymark` or `node /opt/waymark/cli.js`. */
      command: z.string().trim().min(1).max(1000),
    }),
    output: returns<RemoteStatus>(),
    place: 'window',
    consent: 'native',
  },
  'remote.status': { input: none, output: returns<RemoteStatus | null>(), place: 'window', consent: 'free' },
  /** A person has seen a refused write: it leaves the list. */
  'remote.dismiss': {
    input: z.object({ id: run }),
    output: returns<void>(),
    place: 'window',
    consent: 'free',
  },
  /** Back to the workspace on this machine. */
  'remote.close': { input: none, output: returns<void>(), place: 'window', consent: 'gesture' },
} as const satisfies CommandRows;
