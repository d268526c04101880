import { WaymarkError } from '@shared/contract/errors';
import { tooLong } from '@shared/log/annotation-limits';
import {
  type AnnotationOp,
  type AnnotationTarget,
  annotationOps,
  judgeVote,
  targetSchema,
  wholeTarget,
} from '@shared/log/annotations';
import { asIs } from '../file/as-is';

/** Votes of judges come by the thousand: those that fit as they are need no copy. */
const isVote = asIs(judgeVote);
const isWhole = asIs(wholeTarget);

/**
 * Parses what a caller wants to say about which steps; `steps` is how many the run has. Whoever walks over the steps
 * of a target that was sent parses it first: else its end is whatever number came. @throws WaymarkError bad_input
 */
export function parseAnnotation(
  target: AnnotationTarget,
  op: AnnotationOp,
  steps: number,
): { target: AnnotationTarget; op: AnnotationOp } {
  const { target: parsedTarget, op: parsedOp } =
    isWhole(target) && isVote(op) ? { target, op } : parsed(target, op);
  const long = tooLong(parsedOp);
  if (long !== null) throw new WaymarkError('bad_input', `This was not stored: ${long}. Shorten it.`);
  const { from, to } = parsedTarget;
  if (parsedOp.op === 'correct' && from !== to) {
    throw new WaymarkError('bad_input', 'A correction is about one step.');
  }
  if (from > to || to > steps) {
    const range = from === to ? `step ${from}` : `steps ${from} to ${to}`;
    throw new WaymarkError(
      'bad_input',
      `The run has no ${range}: it has ${steps === 1 ? '1 step' : `${steps} steps`}.`,
    );
  }
  return { target: parsedTarget, op: parsedOp };
}

function parsed(target: AnnotationTarget, op: AnnotationOp): { target: AnnotationTarget; op: AnnotationOp } {
  const [where, what] = [targetSchema.safeParse(target), annotationOps.safeParse(op)];
  if (where.success && what.success) return { target: where.data, op: what.data };
  throw new WaymarkError(
    'bad_input',
    'This label or comment was not understood.',
    (where.error ?? what.error)?.message,
  );
}
