import { z } from 'zod';
import { type CommandRows, none, returns } from './parts';

/** What became of an import. */
export interface ImportResult {
  run: string;
  title: string;
  steps: number;
  segments: number;
  hints: number;
  /** In words: what the source holds and the run does not. */
  left: string[];
  /** Runs that a broken-off import of the same files had left, and that were removed for this one. */
  replaced: string[];
}

/** How far an import is. */
export type ImportProgress =
  | { stage: 'reading'; files: number; bytes: number }
  | { stage: 'storing'; events: number; of: number };

/** Logs of other systems become runs. */
export const importCommands = {
  /** Asks for a file or a folder in the main process; null = cancelled. `again`: also what was imported before. */
  'import.start': {
    input: z.object({
      format: z.enum(['researchgym']),
      what: z.enum(['file', 'folder']),
      again: z.boolean().default(false),
    }),
    output: returns<ImportResult | null>(),
    place: 'disk',
    consent: 'native',
    there: 'import PATH',
  },
  /** Breaks off what is being imported; `import.start` then says so. Nothing of it is kept. */
  'import.cancel': { input: none, output: returns<void>(), place: 'window', consent: 'free' },
} as const satisfies CommandRows;
