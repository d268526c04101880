import { WaymarkError } from '@shared/contract/errors';
import type { VerifyProblem } from '@shared/contract/views';
import { inside } from '../../files/inside';
import type { Statements } from '../file/rows';
import { storedEnds } from '../log/annotation-ends';
import { storedEntries } from '../log/stored-entries';
import { openBackup } from '../restore/backup-file';
import { backupNames } from '../restore/newest-backup';

/** Entries of the newest backup that can be read which lie behind the end of their device's log here. */
export function checkNewestBackup(statements: Statements, folder: string): VerifyProblem[] {
  for (const name of backupNames(folder)) {
    let backup: Statements;
    try {
      backup = openBackup(inside(folder, 'backups', name));
    } catch (thrown) {
      // A copy that cannot be read says nothing about the workspace; `restore` names it.
      if (thrown instanceof WaymarkError) continue;
      throw thrown;
    }
    try {
      return missingFrom(statements, backup, name);
    } finally {
      backup.db.close();
    }
  }
  return [];
}

function missingFrom(statements: Statements, backup: Statements, name: string): VerifyProblem[] {
  const ends = storedEnds(statements);
  const found = statements.prepare(
    'SELECT 1 FROM annotation WHERE ulid = :ulid UNION ALL SELECT 1 FROM kept_annotation WHERE ulid = :ulid',
  );
  const missing = new Map<string, { first: number; count: number }>();
  for (const { device, deviceSeq, ulid, body } of storedEntries(backup)) {
    // `restore` gives the words of a log that went apart to a device of their own, under the same ids.
    if (body === '' || deviceSeq <= (ends.get(device)?.seq ?? 0) || found.get({ ulid }) !== undefined)
      continue;
    const { first, count } = missing.get(device) ?? { first: deviceSeq, count: 0 };
    missing.set(device, { first, count: count + 1 });
  }
  return [...missing].map(([device, { first, count }]) => ({
    what: 'annotation_backup',
    where: `annotation ${device} ${first}`,
    message: `${count === 1 ? 'One entry' : `${count} entries`} of this device that the backup ${name} holds ${count === 1 ? 'is' : 'are'} not here.`,
  }));
}
