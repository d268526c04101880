import { existsSync, readdirSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative, resolve } from 'node:path';
import { WaymarkError } from '@shared/errors';
import type { RestoredRun, RestoreReport } from '@shared/ipc/restore';
import { inside } from '../../files/inside';
import { makeFoldersIn } from '../../files/private';
import { removeAt } from '../../files/remove';
import { parsedRun } from '../../files/workspace-paths';
import { syncFolder } from '../blob-store';
import { storeFailure, systemCode } from '../database';
import { makeFolder } from '../make-folder';
import { Statements } from '../rows';
import type { StepProjector } from '../step-projector';
import { verifyWorkspace } from '../verify';
import { lookInto, openForReading, openForWriting, workspaceFile } from '../workspace-file';
import { findLog } from '../workspace-log';
import { openBackup } from './backup-file';
import { copyTree } from './copy-tree';
import { WorkspaceCopy } from './workspace-copy';

export interface RestoreOptions {
  /** A copy of hints and labels; null: only what the workspace itself still holds. */
  backup: string | null;
  /** The damaged workspace's folder, or null when only the backup is there. It is read and never written. */
  from: string | null;
  /** The new workspace: a folder that does not exist, or is empty. */
  to: string;
  projector: StepProjector;
}

/**
 * Puts a new workspace together from a backup (hints, labels, rule settings) and from what is still readable of the
 * damaged one (runs whose log is whole, with their texts and files), verifies it, and only then gives it its name.
 * @throws WaymarkError already_exists, not_found, bad_input, workspace_newer, workspace_corrupt, disk_full; nothing is left
 * behind then
 */
export async function restoreWorkspace(options: RestoreOptions): Promise<RestoreReport> {
  const to = resolve(options.to);
  refuseTarget(to, options.from);
  const unfinished = `${to}.restoring-${process.pid}`;
  const sources: Statements[] = [];
  try {
    const backup = options.backup === null ? null : openBackup(options.backup);
    if (backup !== null) sources.push(backup);
    const notes: string[] = [];
    const remarks: string[] = [];
    const damaged = options.from === null ? null : openDamaged(options.from, notes);
    if (damaged !== null) sources.push(damaged);
    if (damaged === null && backup === null) {
      throw new WaymarkError(
        'workspace_corrupt',
        `Nothing of ${options.from ?? 'the workspace'} can be read, and no backup was named. Nothing was restored.`,
        notes.join(' '),
      );
    }
    makeFolder(unfinished);
    const report = await fill({ ...options, to }, { backup, damaged, unfinished, notes, remarks });
    if (existsSync(to)) rmdirSync(to);
    renameSync(unfinished, to);
    syncFolder(dirname(to));
    return report;
  } catch (thrown) {
    throw storeFailure(thrown, `the new workspace ${to}`);
  } finally {
    for (const { db } of sources) db.close();
    await removeAt(unfinished, { kind: 'folder', owned: true });
  }
}

interface Parts {
  backup: Statements | null;
  damaged: Statements | null;
  unfinished: string;
  notes: string[];
  remarks: string[];
}

async function fill(
  { backup: file, from, to, projector }: RestoreOptions,
  { backup, damaged, unfinished, notes, remarks }: Parts,
): Promise<RestoreReport> {
  const target = new Statements(openForWriting(unfinished));
  let runs: RestoredRun[];
  let said: Pick<RestoreReport, 'labels' | 'hints' | 'people'>;
  try {
    const copy = new WorkspaceCopy({ target, unfinished, backup, damaged, from, projector, notes, remarks });
    runs = copy.runs();
    said = copy.summary();
    target.db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    target.db.close();
  }
  if (from !== null) {
    await copyFiles(from, unfinished, runs, notes);
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

/** Terminals that lost bytes and imports that were never finished are named; anything else would mean that what was put together is not whole. */
async function verify(folder: string, projector: StepProjector, runs: readonly RestoredRun[]): Promise<void> {
  const report = await verifyWorkspace(folder, projector);
  const others = [...report.workspace];
  for (const { id, problems } of report.runs) {
    const known = problems.filter(({ what }) => what.startsWith('session') || what === 'import_unfinished');
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

function refuseTarget(to: string, from: string | null): void {
  const found = statSync(to, { throwIfNoEntry: false });
  if (found !== undefined && (!found.isDirectory() || readdirSync(to).length > 0)) {
    throw new WaymarkError(
      'already_exists',
      `${to} is there already and not empty. Name a new folder: restoring never overwrites anything.`,
    );
  }
  const below = from === null ? '..' : relative(resolve(from), to);
  if (!below.startsWith('..') && !isAbsolute(below)) {
    throw new WaymarkError(
      'bad_input',
      `${to} lies in the workspace that is restored. Name a folder outside of it.`,
    );
  }
}

/** Null: nothing of it can be read. @throws WaymarkError workspace_newer, bad_input */
function openDamaged(folder: string, notes: string[]): Statements | null {
  const path = workspaceFile(folder);
  const log = findLog(path);
  if (log.is !== 'there') {
    notes.push(
      `No run could be brought back. ${log.is === 'lost' ? log.why : `${path} is missing or empty.`}`,
    );
    return null;
  }
  try {
    lookInto(path);
    const statements = new Statements(openForReading(folder));
    // One state of it, should somebody still write.
    statements.db.exec('BEGIN');
    statements.get('SELECT count(*) FROM sqlite_schema');
    return statements;
  } catch (thrown) {
    const failure = storeFailure(thrown, path);
    if (!(failure instanceof WaymarkError) || failure.code === 'workspace_newer') {
      throw failure;
    }
    notes.push(
      `No run could be read: ${path} is not readable as a database (${failure.detail ?? systemCode(thrown)}).`,
    );
    return null;
  }
}
