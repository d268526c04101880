import { statSync } from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { BackupRow } from '@shared/contract/ipc/restore';
import { stampOf } from '../file/backup-names';
import { contentsOf, openBackup } from './backup-file';
import { backupNames } from './newest-backup';

/** The copies in a workspace's backups folder, newest first, each opened and checked. The workspace itself is not looked at. */
export function listBackups(folder: string): BackupRow[] {
  const backups = join(folder, 'backups');
  return backupNames(folder).map((name) => {
    const path = join(backups, name);
    const { mtimeMs, size } = statSync(path);
    return { name, at: stampOf(name) ?? mtimeMs, bytes: size, ...look(path) };
  });
}

/** The next step of whoever named this copy; in the list it would lead back into it. */
const CHOOSE_ANOTHER = / Choose an older one[^.]*\.$/;

function look(path: string): Pick<BackupRow, 'contents' | 'problem'> {
  try {
    const statements = openBackup(path);
    try {
      return { contents: contentsOf(statements), problem: null };
    } finally {
      statements.db.close();
    }
  } catch (thrown) {
    if (thrown instanceof WaymarkError) {
      return { contents: null, problem: thrown.message.replace(CHOOSE_ANOTHER, '') };
    }
    throw thrown;
  }
}
