import type { Statements } from '../file/rows';

/**
 * Whether the run with this row number is removed, or about to be: its rows go in several transactions, its head last. Work on the
 * run asks in the transaction in which it writes, or it would leave rows of a run that is no longer there.
 */
export function isRemoved(statements: Statements, run: number): boolean {
  return statements.get("SELECT 1 FROM tombstone WHERE run = ? AND mode = 'run'", run) !== undefined;
}
