import type { AnnotationEntry, AnnotationOp, Author } from './annotations';

/*
 * What an annotation may hold at most where it comes in: from the window, the command line, or the log of another workspace. A log
 * that is here already is read whatever it holds. The window takes less: 400 characters of a reason, 10,000 of a comment.
 */
const MOST_NAME = 400;
const MOST_DEVICE = 200;
const MOST_REASON = 10_000;
const MOST_COMMENT = 100_000;
/** The last moment that four digits of a year can tell, ms. */
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** A device's name stands in messages and file names. */
const DEVICE = /^[^\p{Cc}\p{Cs}/\\]+$/u;
/** Half of a character, which no column of the file can hold. */
const HALF = /\p{Cs}/u;

/** What of an operation is too long, as a sentence without its end; null: nothing. */
export function tooLong(op: AnnotationOp): string | null {
  if ((op.op === 'label' || op.op === 'adjudicate') && (op.reason?.length ?? 0) > MOST_REASON)
    return `the reason is longer than ${MOST_REASON} characters`;
  if (op.op === 'comment' && op.text.length > MOST_COMMENT)
    return `the comment is longer than ${MOST_COMMENT} characters`;
  if (op.op === 'assign' && (op.to.name.length > MOST_NAME || op.to.uuid.length > MOST_NAME))
    return `the name of the person assigned is longer than ${MOST_NAME} characters`;
  return null;
}

/** Why nothing is stored under the author's name, as a sentence without its end; null: nothing speaks against it. */
export function authorTrouble({ name, uuid }: Author): string | null {
  if (name.length > MOST_NAME || uuid.length > MOST_NAME)
    return `the name of its author is longer than ${MOST_NAME} characters`;
  return HALF.test(name) || HALF.test(uuid) ? 'the name of its author holds half of a character' : null;
}

/** Why an entry of another log is not taken, as a sentence without its end; null: nothing speaks against it. */
export function beyondLimits({ at, author, device, body }: AnnotationEntry): string | null {
  if (device.length > MOST_DEVICE) return `the name of its device is longer than ${MOST_DEVICE} characters`;
  if (!DEVICE.test(device))
    return 'the name of its device holds a slash, a control character or half of a character';
  if (!(at >= 0 && at <= LAST_MOMENT)) return `its time ${at} is none`;
  return authorTrouble(author) ?? tooLong(body);
}
