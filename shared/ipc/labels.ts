import { z } from 'zod';
import type { AnnotationEntry } from '../annotations';
import { inRun, returns, run, step } from './parts';

/** What people decide about steps. */
export const labelCommands = {
  'labels.apply': {
    input: z.object({
      run,
      from: step,
      to: step,
      value: z.enum(['train', 'mask', 'clear']),
      reason: z.string().max(40).nullable(),
    }),
    output: returns<AnnotationEntry>(),
  },
  'labels.comment': {
    input: z.object({ run, step, text: z.string().trim().min(1).max(10_000) }),
    output: returns<AnnotationEntry>(),
  },
  'labels.flag': { input: z.object({ run, step, on: z.boolean() }), output: returns<AnnotationEntry>() },
  'labels.undo': {
    input: inRun,
    output: returns<{ entry: AnnotationEntry; target: AnnotationEntry } | null>(),
  },
  'labels.redo': {
    input: inRun,
    output: returns<{ entry: AnnotationEntry; target: AnnotationEntry } | null>(),
  },
} as const;
