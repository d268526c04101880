import { z } from 'zod';
import { type CommandRows, none, returns } from './parts';

/** What came over from another annotation log. */
export interface MergeReport {
  /** Where it came from: a folder or a file. */
  from: string;
  /** Entries that are new here and count. */
  added: number;
  /** Entries that were here already. */
  known: number;
  /** Entries kept aside because their run, or its last steps, are not here; they are taken in when these appear. */
  kept: { entries: number; runs: string[] };
  /** Names of those who made what is new. */
  people: string[];
  /** Runs with new entries, those that are not here left out. */
  runs: string[];
  /** Steps about which opinions differ now and did not before. */
  disagreements: number;
}

/** Work of several annotators: logs go out and come together. Both ask for a place on this machine's disk. */
export const mergeCommands = {
  /** Asks for another workspace's folder or an exported file, and takes over what is not here. Null: nothing was chosen. */
  'annotations.merge': {
    input: z.object({ from: z.enum(['folder', 'file']) }),
    output: returns<MergeReport | null>(),
    place: 'disk',
    consent: 'native',
    there: 'merge PATH',
  },
  /** Asks for a file and writes the whole annotation log of the workspace into it. Null: nothing was chosen. */
  'annotations.export': {
    input: none,
    output: returns<{ file: string; entries: number } | null>(),
    place: 'disk',
    consent: 'native',
    there: 'label export --out FILE',
  },
} as const satisfies CommandRows;
