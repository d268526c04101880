import { z } from 'zod';
import { count, listOf, number, run, step, text } from './parts';

const hash = text.nullable();
const lines = number.nullable();

export const fileRevision = z.object({
  computer: text,
  path: text,
  revision: count,
  step,
  seq: count,
  before: hash,
  after: hash,
  size: number,
  by: z.enum(['action', 'shell']),
  added: lines,
  removed: lines,
  movedTo: text.nullable(),
  movedFrom: text.nullable(),
  inheritedFrom: run.nullable(),
});

export const fileAnswers = {
  'files.list': z.object({
    files: listOf(
      z.object({ computer: text, path: text, revisions: count, lastStep: step, removed: z.boolean() }),
    ),
    total: count,
  }),
  'files.revisions': z.object({
    revisions: listOf(fileRevision),
    first: number,
    total: count,
    chosen: number,
  }),
  'files.counts': listOf(
    z.object({ revision: count, counts: z.object({ added: count, removed: count }).nullable() }),
  ),
  'files.text': z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text, size: number, sha256: hash }),
    z.object({ kind: z.literal('absent') }),
    z.object({
      kind: z.enum(['binary', 'large', 'purged', 'unknown']),
      size: number.nullable(),
      sha256: hash,
    }),
  ]),
};
