import { z } from 'zod';
import { type HintView, hintCategory, hintDelivery, hintVerdict } from '../../log/outbox';
import type { Rehearsal, RehearsalCost, RunHints } from '../views';
import { type CommandRows, inRun, returns, run } from './parts';

const text = z.string().trim().min(1).max(20_000);

/** The outbox of hints. */
export const hintCommands = {
  'hints.list': { input: inRun, output: returns<RunHints>(), place: 'workspace', consent: 'free' },
  'hints.queue': {
    input: z.object({
      run,
      text,
      category: hintCategory,
      deliver: hintDelivery.default({ when: 'next_step' }),
      /** Chosen by the window so that asking again after a lost answer queues nothing twice. */
      hint: run.optional(),
    }),
    output: returns<HintView>(),
    place: 'workspace',
    consent: 'gesture',
    late: true,
  },
  'hints.edit': {
    input: z.object({
      run,
      hint: run,
      text,
      category: hintCategory.optional(),
      deliver: hintDelivery.optional(),
    }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'gesture',
    late: true,
  },
  'hints.move': {
    input: z.object({ run, hint: run, before: run.nullable() }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'gesture',
    late: true,
  },
  'hints.withdraw': {
    input: z.object({ run, hint: run }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'gesture',
    late: true,
  },
  'hints.verdict': {
    input: z.object({ run, hint: run, verdict: hintVerdict.nullable() }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'free',
  },
  /** What trying a draft would cost; asks nobody. */
  'hints.rehearsalCost': {
    input: z.object({ run, text }),
    output: returns<RehearsalCost>(),
    place: 'workspace',
    consent: 'free',
  },
  /** One model call with the draft on the latest answered context. What comes back is shown and never run or stored. */
  'hints.rehearse': {
    input: z.object({ run, text }),
    output: returns<Rehearsal>(),
    place: 'workspace',
    consent: 'gesture',
  },
  'hints.cancelRehearsal': { input: inRun, output: returns<void>(), place: 'workspace', consent: 'free' },
} as const satisfies CommandRows;
