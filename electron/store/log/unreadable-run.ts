import { type ErrorCode, WaymarkError } from '@shared/contract/errors';
import type { StoreNotice } from '../notices';

const UNREADABLE: readonly ErrorCode[] = ['workspace_corrupt', 'workspace_newer'];

/** What to do about a run that is damaged: the second sentence of every failure that says so. */
export const nextSteps =
  'Run "verify" to see what is damaged, "restore" to copy what is intact to a new folder, or "run remove" to give the run up.';

/**
 * The notice for a run of which something cannot be read; null for a failure of another kind. Work on all runs goes on with the
 * next one then. A file
 * that SQLite itself calls damaged is no matter of one run.
 */
export function unreadableRun(
  run: string,
  thrown: unknown,
): Extract<StoreNotice, { kind: 'unreadable' }> | null {
  if (!(thrown instanceof WaymarkError && UNREADABLE.includes(thrown.code))) return null;
  const message = thrown.message.includes(run)
    ? thrown.message
    : `Run ${run} cannot be read in full. ${nextSteps}`;
  return { kind: 'unreadable', run, code: thrown.code, message };
}
