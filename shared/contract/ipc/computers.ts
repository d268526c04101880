import { z } from 'zod';
import {
  type ComputerRow,
  type HostPromptView,
  type HostReport,
  type HostResolution,
  hostAliasSchema,
  type LinkHealth,
  transportKind,
} from '../computers';
import { type CommandRows, none, returns } from './parts';

/** Computers reached over SSH. */
export const computerCommands = {
  'computers.list': { input: none, output: returns<ComputerRow[]>(), place: 'window', consent: 'free' },
  /** Of every host this process has to do with, also of those a run uses without their being added. */
  'computers.health': { input: none, output: returns<LinkHealth[]>(), place: 'window', consent: 'free' },
  /** Aliases of the user's ssh configuration that were not added yet. */
  'computers.candidates': { input: none, output: returns<string[]>(), place: 'window', consent: 'free' },
  'computers.resolve': {
    input: z.object({ alias: hostAliasSchema }),
    output: returns<HostResolution>(),
    place: 'window',
    consent: 'free',
  },
  /** Connects anew and looks at everything; stages arrive as `computer.stage` meanwhile. */
  'computers.test': {
    input: z.object({ alias: hostAliasSchema, transport: transportKind }),
    output: returns<HostReport>(),
    place: 'window',
    consent: 'gesture',
  },
  'computers.cancelTest': {
    input: z.object({ alias: hostAliasSchema }),
    output: returns<void>(),
    place: 'window',
    consent: 'free',
  },
  'computers.add': {
    input: z.object({ alias: hostAliasSchema, transport: transportKind }),
    output: returns<ComputerRow>(),
    place: 'window',
    consent: 'gesture',
  },
  /** For new links; refused while a run drives on the host. */
  'computers.setTransport': {
    input: z.object({ alias: hostAliasSchema, transport: transportKind }),
    output: returns<ComputerRow>(),
    place: 'window',
    consent: 'gesture',
  },
  'computers.remove': {
    input: z.object({ alias: hostAliasSchema }),
    output: returns<void>(),
    place: 'window',
    consent: 'gesture',
  },
  'computers.retryNow': {
    input: z.object({ alias: hostAliasSchema }),
    output: returns<void>(),
    place: 'window',
    consent: 'free',
    afterwards: 'retries the server',
  },
  'computers.prompts': { input: none, output: returns<HostPromptView[]>(), place: 'window', consent: 'free' },
  'computers.answer': {
    input: z.object({
      id: z.string().max(64),
      /** null = declined. */
      answer: z
        .union([
          z.object({ texts: z.array(z.string().max(4096)).max(16) }),
          z.object({ trust: z.literal(true) }),
        ])
        .nullable(),
    }),
    output: returns<void>(),
    place: 'window',
    consent: 'gesture',
  },
  /** The machine's network came back or changed, as the window sees it. */
  'computers.networkChanged': {
    input: none,
    output: returns<void>(),
    place: 'window',
    consent: 'free',
    afterwards: 'retries the server',
  },
} as const satisfies CommandRows;
