import { z } from 'zod';
import type { FileContent, FilePage, LineCounts, RevisionPage } from '../file-views';
import { type CommandRows, filePath, inRun, returns } from './parts';

const number = z.int().nonnegative();

/** What became of files. */
export const fileCommands = {
  'files.list': {
    input: inRun.extend({
      filter: z.string().max(400),
      offset: number,
      limit: z.int().min(1).max(500),
    }),
    output: returns<FilePage>(),
    place: 'workspace',
    consent: 'free',
  },
  /** The page around what was in force at a step, or around a revision; without either the last one. */
  'files.revisions': {
    input: filePath.extend({
      at: z.union([z.object({ step: number }), z.object({ revision: number })]).nullable(),
      limit: z.int().min(1).max(200),
    }),
    output: returns<RevisionPage>(),
    place: 'workspace',
    consent: 'free',
  },
  /** As many as can be counted in a moment, from the first on; the rest is asked for again. */
  'files.counts': {
    input: filePath.extend({ revisions: z.array(z.int().positive()).min(1).max(200) }),
    output: returns<LineCounts[]>(),
    place: 'workspace',
    consent: 'free',
  },
  'files.text': {
    input: filePath.extend({ revision: number }),
    output: returns<FileContent>(),
    place: 'workspace',
    consent: 'free',
  },
} as const satisfies CommandRows;
