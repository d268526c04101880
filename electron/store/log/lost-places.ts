import type { Statements } from '../file/rows';
import { rowSum } from './hashing';

/**
 * What stands in `restore_loss` where the terminal would: the row is about the outbox, `from_byte` is the entry's number and
 * `to_byte` the next. Only `restore` writes it, so an entry without words that no row names was emptied by somebody else.
 */
export const OUTBOX_PLACE = 'outbox';

/** Notes that an entry's words could not be brought back. */
export function noteLostPlace(target: Statements, run: number, id: number, at: number): void {
  const values = [run, OUTBOX_PLACE, id, id + 1, 1, at] as const;
  target.run(
    'INSERT INTO restore_loss (run, uid, from_byte, to_byte, stored, at, sum) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[...values, rowSum(...values)],
  );
}

export function forgetLostPlaces(target: Statements, run: number): void {
  target.run('DELETE FROM restore_loss WHERE run = ? AND uid = ?', run, OUTBOX_PLACE);
}

/** Whether the words of an outbox row `o` may be missing, as SQL: its run was removed, or `restore` found them lost. */
export const mayBeEmpty = `(EXISTS (SELECT 1 FROM tombstone t WHERE t.run = o.run AND t.mode = 'run')
  OR EXISTS (SELECT 1 FROM restore_loss l WHERE l.run = o.run AND l.uid = '${OUTBOX_PLACE}' AND l.from_byte = o.id))`;

/** Whether an outbox row `o` may say what it was without its words, as SQL: the texts of its run were purged, and no more. */
export const mayBeWordless = `(EXISTS (SELECT 1 FROM tombstone t WHERE t.run = o.run AND t.mode = 'text')
  AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.run = o.run AND t.mode = 'run' AND t.done = 1))`;
