import { copyFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { RestoredRun, RestoreReport } from '@shared/contract/ipc/restore';
import { inside } from '../../files/inside';
import { makeFoldersIn } from '../../files/private';
import { removeAt } from '../../files/remove';
import { parsedRun } from '../../files/workspace-paths';
import { type Db, storeFailure } from '../file/database';
import { makeFolder } from '../file/make-folder';
import { Statements } from '../file/rows';
import {
  devicesOf,
  type Installation,
  isKnownHere,
  openForWriting,
  rememberWorkspace,
} from '../file/workspace-file';
import type { StepProjector } from '../projections/step-projector';
import { verifyWorkspace } from '../verify/verify';
import { openBackup } from './backup-file';
import { copyTree } from './copy-tree';
import { mark, removeLeftovers, unmark } from './leftovers';
import { openDamaged } from './open-damaged';
import { counted } from './people-copy';
import { restoreTarget } from './restore-target';
import { guarded } from './table-copy';
import { WorkspaceCopy } from './workspace-copy';

export interface RestoreOptions {
  /** A copy of hints and labels; null: only what the workspace itself still holds. */
  backup: string | null;
  /** The damaged workspace's folder, or null when only the backup is there. It is read and never written. */
  from: string | null;
  /** The new workspace: a folder that does not exist, or is empty. */
  to: string;
  projector: StepProjector;
  /** Name of this installation, which may go on in the new workspace as it could in the old one; by default the machine's. */
  device?: string | undefined;
  /** The application's data folder, as for `isKnownHere`. */
  data?: string | undefined;
}

/**
 * Puts a new workspace together from a backup (hints, labels, rule settings, rubrics) and from what is still readable of the
 * damaged one (runs whose log is whole, with their texts and files), verifies it, and only then gives it its name.
 * @throws WaymarkError already_exists, not_found, bad_input, workspace_newer, workspace_corrupt, disk_full; nothing is left
 * behind then
 */
export async function restoreWorkspace(options: RestoreOptions): Promise<RestoreReport> {
  const to = resolve(options.to);
  const remarks = (await Promise.all([dirname(to), to].map(removeLeftovers)))
    .flat()
    .map((path) => `Removed ${path}, which an interrupted restore had left.`);
  const target = restoreTarget(to, options.from);
  const { unfinished } = target;
  const aside = join(unfinished, 'reading');
  const sources: Statements[] = [];
  try {
    makeFolder(unfinished);
    mark(unfinished);
    const backup = options.backup === null ? null : openBackup(options.backup);
    if (backup !== null) sources.push(backup);
    const notes: string[] = [];
    const damaged = options.from === null ? null : openDamaged(options.from, aside, notes);
    if (damaged !== null) sources.push(damaged);
    if (damaged === null && backup === null) {
      throw new WaymarkError(
        'workspace_corrupt',
        `Nothing of ${options.from ?? 'the workspace'} can be read, and no backup was named. Nothing was restored.`,
        notes.join(' '),
      );
    }
    const report = await fill({ ...options, to }, { backup, damaged, unfinished, notes, remarks });
    if (damaged !== null && options.from !== null) remarks.push(...writtenMeanwhile(damaged, options.from));
    for (const { db } of sources.splice(0)) db.close();
    await removeAt(aside, { kind: 'folder', owned: true });
    unmark(unfinished);
    target.finish();
    return report;
  } catch (thrown) {
    throw storeFailure(thrown, `the new workspace ${to}`);
  } finally {
    for (const { db } of sources) db.close();
    await removeAt(unfinished, { kind: 'folder', owned: true });
  }
}

/** What came into the old workspace while one state of it was read. */
function writtenMeanwhile(damaged: Statements, from: string): string[] {
  const remarks: string[] = [];
  guarded(
    // Damage was named where it was met.
    () => undefined,
    () => {
      const count = () =>
        damaged.get<{ said: number; events: number }>(
          `SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM annotation) AS said,
             (SELECT coalesce(sum(seq), 0) FROM run_head) AS events`,
        ) ?? { said: 0, events: 0 };
      const read = count();
      damaged.db.exec('COMMIT');
      const now = count();
      if (now.said === read.said && now.events === read.events) return;
      remarks.push(
        `Something wrote to ${from} during the restore: ${counted(now.said - read.said, 'label or request', 'labels or requests')} and ${counted(now.events - read.events, 'event')} that came after the reading began are not in the new workspace. Close whatever is using it and restore again to include them.`,
      );
    },
  );
  return remarks;
}

/** Whoever worked in the old workspace works in the new one; a copy from elsewhere stays one. */
function trustAsBefore(
  target: Db,
  folder: string,
  damaged: Db,
  from: string,
  installation: Installation,
): void {
  guarded(
    // What cannot be told is asked once more when it is opened.
    () => undefined,
    () => {
      if (!isKnownHere(damaged, from, installation)) return;
      devicesOf(target, folder, installation.device);
      if (installation.data !== undefined) rememberWorkspace(folder, installation.data);
    },
  );
}

interface Parts {
  backup: Statements | null;
  damaged: Statements | null;
  unfinished: string;
  notes: string[];
  remarks: string[];
}

async function fill(
  { backup: file, from, to, projector, device, data }: RestoreOptions,
  { backup, damaged, unfinished, notes, remarks }: Parts,
): Promise<RestoreReport> {
  const target = new Statements(openForWriting(unfinished));
  let runs: RestoredRun[];
  let said: Pick<RestoreReport, 'labels' | 'hints' | 'people'>;
  try {
    const copy = new WorkspaceCopy({ target, unfinished, backup, damaged, from, projector, notes, remarks });
    runs = copy.runs();
    said = copy.summary();
    if (from !== null) {
      await copyFiles(from, unfinished, runs, notes);
    }
    copy.settleSessions(Date.now());
    if (damaged !== null && from !== null)
      trustAsBefore(target.db, unfinished, damaged.db, from, { device, data });
    target.db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    target.db.close();
  }
  if (file !== null) {
    makeFoldersIn(unfinished, 'backups');
    await copyFile(file, inside(unfinished, 'backups', basename(file)));
  }
  await verify(unfinished, projector, runs);
  const complete = notes.length === 0 && runs.every((run) => run.state !== 'lost' && run.notes.length === 0);
  return { folder: to, backup: file, from, complete, runs, ...said, notes, remarks };
}

/** Files beside the log: task packages, and for each run that came back its terminals, its files, its checkpoints. */
async function copyFiles(
  from: string,
  unfinished: string,
  runs: readonly RestoredRun[],
  notes: string[],
): Promise<void> {
  notes.push(...(await copyTree(inside(from, 'tasks'), inside(unfinished, 'tasks'))));
  for (const { id, notes: own } of runs.filter(({ state }) => state === 'log')) {
    for (const kind of ['sessions', 'runs', 'checkpoints']) {
      own.push(...(await copyTree(inside(from, kind, parsedRun(id)), inside(unfinished, kind, id))));
    }
  }
}

/** Imports that were never finished are named; anything else would mean that what was put together is not whole. */
async function verify(folder: string, projector: StepProjector, runs: readonly RestoredRun[]): Promise<void> {
  const report = await verifyWorkspace(folder, projector);
  const others = [...report.workspace];
  for (const { id, problems } of report.runs) {
    const known = problems.filter(({ what }) => what === 'import_unfinished');
    others.push(...problems.filter((problem) => !known.includes(problem)));
    const notes = known.map(({ where, message }) => `${where.replace(`run ${id} `, '')}: ${message}`);
    runs.find((run) => run.id === id)?.notes.push(...notes);
  }
  if (others.length > 0) {
    throw new WaymarkError(
      'workspace_corrupt',
      'What could be read does not make a whole workspace. Nothing was restored; choose another backup.',
      others
        .slice(0, 5)
        .map(({ what, where, message }) => `${what} at ${where}: ${message}`)
        .join('\n'),
    );
  }
}
