import { type AnnotationEntry, partsOf } from './annotations';

/**
 * Whether `newer` only adds a reason to `older`: the same decision of the same person about the same steps, made next after it with
 * the older one in sight. Such a pair is one decision to the person who made it, so that one undo takes both back.
 */
export function addsReason(newer: AnnotationEntry, older: AnnotationEntry): boolean {
  return (
    completes(newer) &&
    wantsReason(older) &&
    newer.body.op === older.body.op &&
    labelOf(newer) === labelOf(older) &&
    newer.supersedes.includes(older.ulid) &&
    newer.author.uuid === older.author.uuid &&
    newer.device === older.device &&
    newer.deviceSeq === older.deviceSeq + 1 &&
    newer.target.run === older.target.run &&
    JSON.stringify(partsOf(newer.target)) === JSON.stringify(partsOf(older.target))
  );
}

/** A decision that may be the second half of a pair. */
export function completes({ body }: AnnotationEntry): boolean {
  return (body.op === 'label' || body.op === 'adjudicate') && body.reason !== null;
}

/** A decision that may be the first half of a pair. */
export function wantsReason({ body }: AnnotationEntry): boolean {
  return (body.op === 'label' || body.op === 'adjudicate') && body.value !== 'clear' && body.reason === null;
}

function labelOf({ body }: AnnotationEntry): string | null {
  return body.op === 'label' || body.op === 'adjudicate' ? body.value : null;
}
