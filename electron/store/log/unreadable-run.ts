import { type ErrorCode, WaymarkError } from '@shared/contract/errors';
import { isId } from '@shared/contract/id';
import { shownId } from '../../files/workspace-paths';
import type { Statements } from '../file/rows';
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

/**
 * Sets runs aside whose id is none: without its head, which is derived, a run is in no list and nothing works on it, and all
 * others go on. Its log stays as it is; `verify` names it. Such rows are in no workspace that Waymark alone has written.
 */
export function quarantine(statements: Statements, notify: (notice: StoreNotice) => void): void {
  const rows = statements.all<{ id: number; ulid: unknown }>('SELECT id, ulid FROM run');
  for (const { id, ulid } of rows) {
    if (isId(ulid)) continue;
    statements.run('DELETE FROM run_head WHERE run = ?', id);
    const shown = shownId(String(ulid));
    notify({ kind: 'unreadable', run: shown, code: 'workspace_corrupt', message: setAside(shown) });
  }
}

export function setAside(shown: string): string {
  return `A row of this workspace calls a run ${shown}, which is not a valid id. The run was set aside: nothing is read, written or deleted under that name. If you did not make this workspace, ask who did.`;
}
