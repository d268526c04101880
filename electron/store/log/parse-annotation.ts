import { WaymarkError } from '@shared/contract/errors';
import { tooLong } from '@shared/log/annotation-limits';
import {
  type AnnotationOp,
  type AnnotationTarget,
  annotationOps,
  targetSchema,
} from '@shared/log/annotations';

/**
 * Parses what a caller wants to say about which steps; `steps` is how many the run has. Whoever walks over the steps
 * of a target that was sent parses it first: else its end is whatever number came. @throws WaymarkError bad_input
 */
export function parseAnnotation(
  target: AnnotationTarget,
  op: AnnotationOp,
  steps: number,
): { target: AnnotationTarget; op: AnnotationOp } {
  const parsedTarget = targetSchema.safeParse(target);
  const parsedOp = annotationOps.safeParse(op);
  if (!parsedTarget.success || !parsedOp.success) {
    throw new WaymarkError(
      'bad_input',
      'This label or comment was not understood.',
      (parsedTarget.error ?? parsedOp.error)?.message,
    );
  }
  const long = tooLong(parsedOp.data);
  if (long !== null) throw new WaymarkError('bad_input', `This was not stored: ${long}. Shorten it.`);
  const { from, to } = parsedTarget.data;
  if (parsedOp.data.op === 'correct' && from !== to) {
    throw new WaymarkError('bad_input', 'A correction is about one step.');
  }
  if (from > to || to > steps) {
    const range = from === to ? `step ${from}` : `steps ${from} to ${to}`;
    throw new WaymarkError(
      'bad_input',
      `The run has no ${range}: it has ${steps === 1 ? '1 step' : `${steps} steps`}.`,
    );
  }
  return { target: parsedTarget.data, op: parsedOp.data };
}
