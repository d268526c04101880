import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { WorkspaceStatus } from '@shared/contract/ipc/application';
import type { BackupRow, RestoreReport, restoreCommands } from '@shared/contract/ipc/restore';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

type RestoreHandlers = HandlersOf<typeof restoreCommands>;

export interface RestoreHandlerOptions {
  holder: Pick<WorkbenchHolder, 'current' | 'failed'>;
  /** Asks for a new folder beside the damaged one; null = cancelled. */
  chooseTarget(damaged: string): Promise<string | null>;
  list(folder: string): Promise<BackupRow[]>;
  restore(options: { backup: string | null; from: string; to: string }): Promise<RestoreReport>;
  /** Opens the folder and says how that went. */
  open(folder: string): Promise<WorkspaceStatus>;
}

/** Bringing back a damaged workspace: the one that could not be opened, or the one that is open. */
export function restoreHandlers(options: RestoreHandlerOptions): RestoreHandlers {
  const damaged = (): string => {
    const folder = options.holder.failed ?? options.holder.current?.folder;
    if (folder !== undefined) return folder;
    throw new WaymarkError('refused', 'No workspace was opened. Choose the damaged folder first.');
  };
  const looks = new Map<string, Promise<BackupRow[]>>();
  /** A look is a thread of its own: who asks while one is under way gets its answer, or a page could begin thousands. */
  const list = (folder: string): Promise<BackupRow[]> => {
    const known = looks.get(folder);
    if (known !== undefined) return known;
    const look = options.list(folder).finally(() => looks.delete(folder));
    looks.set(folder, look);
    return look;
  };
  return {
    'workspace.backups': async () => {
      const folder = damaged();
      return { folder, backups: await list(folder) };
    },
    'workspace.restore': async ({ backup }) => {
      const from = damaged();
      if (backup !== null && !(await list(from)).some(({ name }) => name === backup)) {
        throw new WaymarkError(
          'not_found',
          `There is no backup ${backup} in ${from}. Choose one of the list.`,
        );
      }
      const to = await options.chooseTarget(from);
      if (to === null) return null;
      const file = backup === null ? null : join(from, 'backups', backup);
      const report = await options.restore({ backup: file, from, to });
      return { report, status: await options.open(to) };
    },
  };
}
