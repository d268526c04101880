import { z } from 'zod';
import { type CommandRows, returns } from './parts';

/** Figures of a run, and plots as files. */
export const plotCommands = {
  /** Asks for the file in the main process; null = cancelled. `content` of a picture is base64. */
  'plots.save': {
    input: z.object({
      name: z.string().min(1).max(80),
      format: z.enum(['png', 'svg', 'csv']),
      content: z.string().max(20_000_000),
    }),
    output: returns<{ path: string } | null>(),
    place: 'window',
    consent: 'native',
  },
} as const satisfies CommandRows;
