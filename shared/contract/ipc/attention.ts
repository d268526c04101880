import { z } from 'zod';
import type { AttentionReport, RunAttention } from '../../runs/attention/attention';
import { none, returns, run } from './parts';

/** What wants a person's eye. */
export const attentionCommands = {
  'attention.list': { input: none, output: returns<RunAttention[]>() },
  /** The person has seen the run up to here; what is open stays on the list. */
  'attention.seen': { input: z.object({ run, seq: z.int().nonnegative() }), output: returns<void>() },
  'attention.report': {
    input: z.object({ from: z.int().nonnegative(), to: z.int().nonnegative() }),
    output: returns<AttentionReport>(),
  },
  /** Which run the window shows: nobody needs to be notified of that one while the window has the focus. */
  'attention.showing': { input: z.object({ run: run.nullable() }), output: returns<void>() },
} as const;
