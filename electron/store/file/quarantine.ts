import { isId } from '@shared/contract/id';
import { shownId } from '../../files/workspace-paths';
import type { StoreNotice } from '../notices';
import type { Statements } from './rows';

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
