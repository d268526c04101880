import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import {
  compressions,
  encodings,
  exportFormats,
  exportRequestSchema,
  exportVariants,
  redactions,
} from '@shared/contract/export-request';
import { idSchema } from '@shared/contract/id';
import { z } from 'zod';
import { readRegularFile } from '../../files/regular-file';
import { manifestFile, manifestFormat } from '../manifest';

const count = z.int().nonnegative();
const sha = z.string().regex(/^[0-9a-f]{64}$/);
/** Plain names, down only. */
const path = z
  .string()
  .max(1_000)
  .refine((text) => text.split('/').every((name) => !['', '.', '..'].includes(name) && !/[\\\0]/.test(name)));

/** What is read of a manifest that anybody may have changed. */
const writtenManifest = z.object({
  format: z.literal(manifestFormat),
  version: z.literal(2),
  exporter: z.enum(exportFormats),
  request: exportRequestSchema,
  arguments: z.enum(['string', 'object']),
  encoding: z.enum([...encodings, 'default']),
  compression: z.enum(compressions),
  redaction: z.object({ mode: z.enum(redactions) }),
  snapshot: z.object({ sha256: sha }),
  variants: z
    .array(
      z.looseObject({
        variant: z.enum(exportVariants),
        trajectories: z.object({ react: count, summary: count }),
        trained: count,
        masked: count,
        left_out: z.array(z.unknown()),
      }),
    )
    .optional(),
  /** What stands in the first variant too, and figures of the whole dataset. */
  counts: z.record(z.string(), z.unknown()).optional(),
  /** Of the first variant. */
  composition: z
    .array(
      z.object({
        task: z.string(),
        hash: z.string(),
        runs: count,
        rows: count,
        trained: count,
        masked: count,
      }),
    )
    .optional(),
  runs: z.array(
    z.object({
      run: idSchema,
      events: count,
      annotations: count,
      task: z.string().optional(),
      task_hash: z.string().optional(),
    }),
  ),
  files: z.array(
    z.object({
      path,
      bytes: count,
      sha256: sha,
      records: count.optional(),
      variant: z.enum(exportVariants).optional(),
      split: z.enum(['train', 'validation']).optional(),
    }),
  ),
});
export type WrittenManifest = z.infer<typeof writtenManifest>;

/** What a manifest may weigh, bytes: one of a million documents names each of them. */
const mostBytes = 256 * 1024 * 1024;

/** @throws WaymarkError not_found, bad_input: it is no dataset of ours, or of another version */
export async function readManifest(folder: string): Promise<{ manifest: WrittenManifest; bytes: Buffer }> {
  const place = join(folder, manifestFile);
  let bytes: Buffer;
  try {
    bytes = await readRegularFile(place, manifestFile, mostBytes);
  } catch (thrown) {
    if (!(thrown instanceof WaymarkError)) throw thrown;
    throw new WaymarkError(
      thrown.code,
      thrown.code === 'not_found'
        ? `${folder} holds no manifest.json, so it is not a dataset that Waymark wrote. Name the folder that was given to "export --out".`
        : `${place} cannot be read. ${thrown.message}`,
      folder,
    );
  }
  const parsed = writtenManifest.safeParse(jsonOf(bytes, place));
  if (parsed.success) return { manifest: parsed.data, bytes };
  const [issue] = parsed.error.issues;
  throw new WaymarkError(
    'bad_input',
    `${place} is not a manifest that this version of Waymark writes (${issue?.path.join('.')}: ${issue?.message}). Export the dataset again to verify it.`,
  );
}

function jsonOf(bytes: Buffer, place: string): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw new WaymarkError(
      'bad_input',
      `${place} is not valid JSON: ${thrown.message}. Export the dataset again.`,
    );
  }
}
