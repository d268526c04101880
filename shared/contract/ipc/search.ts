import { z } from 'zod';
import type { IndexProgress, ScanNews, SearchPage, SearchProblem, WorkspaceHits } from '../search/views';
import { stepQuerySchema } from '../step-query';
import { type CommandRows, direction, none, returns, run } from './parts';

const query = z.string().max(400);
const limit = z.int().min(1).max(200);

/** Search in everything a run shows. A query between slashes is a pattern: `search.scan` answers it, not the index. */
export const searchCommands = {
  /** Hits of words in a run, from a step on or from a hit on (0-based). `filter` narrows them. */
  'search.steps': {
    input: z.object({
      run,
      query,
      filter: stepQuerySchema.optional(),
      from: z.union([
        z.object({ step: z.int().nonnegative(), direction }),
        z.object({ hit: z.int().nonnegative() }),
      ]),
      limit,
      /** Asks for `before` of a page that begins at a step. */
      place: z.boolean().optional(),
    }),
    output: returns<SearchPage>(),
    place: 'workspace',
    consent: 'free',
  },
  /** The first hits of every run. */
  'search.workspace': {
    input: z.object({ query, limit: z.int().min(1).max(20) }),
    output: returns<WorkspaceHits>(),
    place: 'workspace',
    consent: 'free',
  },
  /**
   * Begins to look through what the index does not hold: steps and terminals for a pattern, terminals for words. A newer scan
   * ends the one before. `run` null: every run. `scan` is null where there is nothing to look through.
   */
  'search.scan': {
    input: z.object({ run: run.nullable(), query, filter: stepQuerySchema.optional() }),
    output: returns<{ scan: number | null; problem: SearchProblem | null }>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Hits from number `after` on, and progress; answers as soon as there is something new, or after a moment. */
  'search.news': {
    input: z.object({ scan: z.int().positive(), after: z.int().nonnegative() }),
    output: returns<ScanNews>(),
    place: 'workspace',
    consent: 'free',
  },
  'search.stop': {
    input: z.object({ scan: z.int().positive() }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'free',
  },
  'search.progress': { input: none, output: returns<IndexProgress>(), place: 'workspace', consent: 'free' },
} as const satisfies CommandRows;
