import { partsOf } from '../contract/step-range';
import type { AnnotationEntry } from '../log/annotations';

/**
 * Whether the gesture `newer` only adds a reason to the gesture `older`: the same decision of the same person about the same steps,
 * made next after it with the older one in sight. Such a pair is one decision to the person who made it, so that one undo takes
 * both back. Both hold their entries in the order they were stored.
 */
export function addsReason(newer: readonly AnnotationEntry[], older: readonly AnnotationEntry[]): boolean {
  const last = older.at(-1);
  return (
    last !== undefined &&
    newer.length === older.length &&
    newer[0]?.device === last.device &&
    newer[0].deviceSeq === last.deviceSeq + 1 &&
    newer.every((entry, index) => completes(entry, older[index]))
  );
}

function completes(newer: AnnotationEntry, older: AnnotationEntry | undefined): boolean {
  return (
    older !== undefined &&
    mayComplete(newer) &&
    wantsReason(older) &&
    newer.body.op === older.body.op &&
    labelOf(newer) === labelOf(older) &&
    newer.supersedes.includes(older.ulid) &&
    newer.author.uuid === older.author.uuid &&
    newer.target.run === older.target.run &&
    newer.gesture?.run === older.gesture?.run &&
    JSON.stringify(partsOf(newer.target)) === JSON.stringify(partsOf(older.target))
  );
}

/** A decision that may be the second half of a pair. */
export function mayComplete({ body }: AnnotationEntry): boolean {
  return (body.op === 'label' || body.op === 'adjudicate') && body.reason !== null;
}

function wantsReason({ body }: AnnotationEntry): boolean {
  return (body.op === 'label' || body.op === 'adjudicate') && body.value !== 'clear' && body.reason === null;
}

function labelOf({ body }: AnnotationEntry): string | null {
  return body.op === 'label' || body.op === 'adjudicate' ? body.value : null;
}
