import { exportFormats, exportRequestSchema, exportVariants } from '@shared/contract/export-request';
import { z } from 'zod';
import { at, count, listOf, run, step, text } from './parts';

const mask = z.union([z.literal(0), z.literal(1)]);
const variant = z.enum(exportVariants);
const reason = text.nullable();
const source = text.nullable();

const dataset = z.object({
  id: text,
  folder: text,
  format: z.enum(exportFormats),
  writtenAt: at,
  snapshot: text,
  state: z.enum(['there', 'missing', 'changed']),
  variants: listOf(variant),
  options: exportRequestSchema,
  records: count,
  trained: count,
  masked: count,
  bytes: count,
  redacted: count,
  files: listOf(z.object({ path: text, bytes: count, sha256: text, records: count })),
  composition: listOf(
    z.object({
      task: text,
      hash: text,
      domain: text.nullable(),
      runs: count,
      rows: count,
      trained: count,
      masked: count,
    }),
  ).optional(),
});

export const datasetAnswers = {
  'datasets.list': listOf(dataset),
  'datasets.difference': z.object({
    a: text,
    b: text,
    count,
    steps: listOf(
      z.object({ run, step, a: mask.nullable(), b: mask.nullable(), reasonA: reason, reasonB: reason }),
    ),
  }),
  'datasets.forStep': listOf(
    z.object({
      dataset,
      variant,
      mask,
      source,
      reason,
      places: listOf(z.object({ file: text, from: count, to: count })),
    }),
  ),
  'datasets.row': z
    .object({
      run,
      segment: count,
      kind: z.enum(['react', 'summary']),
      step,
      steps: listOf(z.object({ step, mask, source, reason })),
    })
    .nullable(),
  'datasets.forget': listOf(dataset),
};
