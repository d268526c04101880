import { WaymarkError } from '@shared/contract/errors';
import { type Db, type Migration, WORKSPACE_APPLICATION_ID } from './database';
import { threeLogs } from './migrations/0001-three-logs';
import { longRuns } from './migrations/0002-long-runs';
import { review } from './migrations/0003-review';
import { sessionFiles } from './migrations/0004-session-files';
import { gestures } from './migrations/0005-gestures';
import { ids } from './migrations/0006-ids';
import { restoreLosses } from './migrations/0007-restore-losses';
import { annotationEnds } from './migrations/0008-annotation-ends';
import { judgeBatches } from './migrations/0009-judge-batches';
import { looks } from './migrations/0010-looks';
import { rubrics } from './migrations/0011-rubrics';
import { judgeStops } from './migrations/0012-judge-stops';
import { summaryRubrics } from './migrations/0013-summary-rubrics';

/** In order of version, without gaps from 1. */
export const migrations: readonly Migration[] = [
  threeLogs,
  longRuns,
  review,
  sessionFiles,
  gestures,
  ids,
  restoreLosses,
  annotationEnds,
  judgeBatches,
  looks,
  rubrics,
  judgeStops,
  summaryRubrics,
];

/**
 * Brings a database to the newest version this application knows, all in one transaction.
 * Throws `workspace_newer` without writing when it is already newer than that.
 */
export function migrate(db: Db, list: readonly Migration[] = migrations): { from: number; to: number } {
  const newest = list.at(-1)?.version ?? 0;
  const before = readVersion(db);
  refuseNewer(before, newest);
  if (before === newest) {
    return { from: before, to: before };
  }
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have migrated between the look above and the lock.
    const from = readVersion(db);
    refuseNewer(from, newest);
    for (const migration of list.filter(({ version }) => version > from)) {
      db.exec(migration.sql);
    }
    db.pragma(`user_version = ${newest}`);
    db.pragma(`application_id = ${WORKSPACE_APPLICATION_ID}`);
    db.exec('COMMIT');
    return { from, to: newest };
  } catch (thrown) {
    if (db.inTransaction) {
      db.exec('ROLLBACK');
    }
    throw thrown;
  }
}

/** `user_version` of an open database; 0 for an empty one. */
export function readVersion(db: Db): number {
  return Number(db.pragma('user_version', { simple: true }));
}

/** Formats are counted up one by one: what is far from all that are known is no version but damage. */
export function isVersion(found: number): boolean {
  return found >= 0 && found < 10_000;
}

/** @throws WaymarkError workspace_newer, or workspace_corrupt where the number is none that a Waymark writes */
export function refuseNewer(found: number, known: number): void {
  if (!isVersion(found)) {
    throw new WaymarkError(
      'workspace_corrupt',
      `The format number of this workspace is damaged (${found}; this Waymark knows up to ${known}). Run "verify" to see what is affected, and "restore" to copy what is intact to a new folder.`,
    );
  }
  if (found > known) {
    throw new WaymarkError(
      'workspace_newer',
      `This workspace was last opened by a newer Waymark (format ${found}; this one knows up to ${known}). Update Waymark; nothing was changed.`,
    );
  }
}
