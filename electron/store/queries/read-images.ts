import { imageTypeOf } from '@shared/context/image-header';
import { WaymarkError } from '@shared/contract/errors';
import { type ImageBytes, type ImageRef, imagePartSchema } from '@shared/log/image-part';
import { z } from 'zod';
import { rowId } from '../file/rows';
import { findRun, type ReadContext, type RunRecord } from './read-context';

const imageRefSchema = imagePartSchema.omit({ data: true });
/** Only what is needed of a stored observation: its images' bytes stay where they are. */
const observedSchema = z.object({ images: z.array(imageRefSchema).optional() });

/** The first image that a step's observations show; undefined without one. */
export function firstImage(
  context: ReadContext,
  run: RunRecord,
  seq0: number,
  seq1: number,
): ImageRef | undefined {
  const statement = context.statements.prepare(
    `SELECT body FROM event WHERE id BETWEEN ? AND ? AND kind = 'action.observed' ORDER BY id`,
  );
  for (const row of statement.iterate(rowId(run.id, seq0), rowId(run.id, seq1))) {
    const { body } = row as { body: string };
    const [image] = observedSchema.parse(JSON.parse(body)).images ?? [];
    // The texts of a step that was purged are gone, and its images with them.
    if (image !== undefined) return image.name === '' ? undefined : image;
  }
  return undefined;
}

/**
 * The bytes of an image that a run's log names. Their type is read off them anew: nothing else is ever given to a page as an
 * image. @throws WaymarkError not_found, workspace_corrupt
 */
export function readImageBytes(context: ReadContext, ulid: string, sha256: string): ImageBytes {
  const run = findRun(context, ulid);
  const used = context.statements.get(
    `SELECT 1 FROM blob b WHERE b.sha = ? AND (b.run = ?
       OR EXISTS (SELECT 1 FROM blob_share s WHERE s.blob = b.id AND s.run = ?))`,
    Buffer.from(sha256, 'hex'),
    run.id,
    run.id,
  );
  const bytes = used === undefined ? null : context.blobs.readBytes(sha256);
  const mediaType = bytes === null ? null : imageTypeOf(bytes);
  if (bytes === null || mediaType === null) {
    throw new WaymarkError(
      'not_found',
      `Run ${ulid} has no image ${sha256.slice(0, 12)}. Its texts may have been removed.`,
    );
  }
  return { mediaType, bytes };
}
