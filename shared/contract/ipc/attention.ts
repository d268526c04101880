import { z } from 'zod';
import type { AttentionReport, RunAttention } from '../../runs/attention/attention';
import { type CommandRows, none, returns, run } from './parts';

/** What wants a person's eye. */
export const attentionCommands = {
  'attention.list': { input: none, output: returns<RunAttention[]>(), place: 'workspace', consent: 'free' },
  /** The person has seen the run up to here; what is open stays on the list. */
  'attention.seen': {
    input: z.object({ run, seq: z.int().nonnegative() }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'free',
  },
  'attention.report': {
    input: z.object({ from: z.int().nonnegative(), to: z.int().nonnegative() }),
    output: returns<AttentionReport>(),
    place: 'workspace',
    consent: 'free',
  },
} as const satisfies CommandRows;
