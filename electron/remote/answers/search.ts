import { searchFields } from '@shared/contract/search/views';
import { z } from 'zod';
import { count, listOf, nothing, number, run, step, text } from './parts';

const problem = z
  .discriminatedUnion('code', [
    z.object({ code: z.literal('too_short'), word: text }),
    z.object({ code: z.literal('no_word') }),
    z.object({ code: z.literal('only_excluded') }),
    z.object({ code: z.literal('bad_pattern'), message: text, at: number.nullable() }),
    z.object({ code: z.literal('bad_flag'), flag: text }),
  ])
  .nullable();

const hit = z.object({ step, snippet: text, field: z.enum(searchFields) });
const line = z.object({
  uid: text,
  computer: text,
  session: text,
  offset: count,
  endOffset: count,
  line: text,
});

export const indexProgress = z.object({ steps: count, behind: count });

const scanNews = z.object({
  hits: listOf(
    z.discriminatedUnion('kind', [
      z.object({ run, kind: z.literal('step'), hit }),
      z.object({ run, kind: z.literal('line'), line }),
    ]),
  ),
  steps: count,
  lines: count,
  scanned: count,
  all: count,
  scannedBytes: number,
  allBytes: number,
  done: z.boolean(),
  givenUp: z.object({ why: z.enum(['text', 'whole']), pattern: text, run, step: step.nullable() }).nullable(),
});

export const searchAnswers = {
  'search.steps': z.object({
    hits: listOf(hit),
    total: count,
    before: count,
    hidden: count,
    behind: count,
    problem,
  }),
  'search.workspace': z.object({
    runs: listOf(z.object({ run, title: text, total: count, hits: listOf(hit) })),
    total: count,
    more: count,
    behind: count,
    problem,
  }),
  'search.scan': z.object({ scan: count.nullable(), problem }),
  'search.news': scanNews,
  'search.stop': nothing,
  'search.progress': indexProgress,
  'sessions.search': z.object({ hits: listOf(line), truncated: z.boolean() }),
};
