import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { BackupRow, RestoredRun, RestoreReport } from '@shared/contract/ipc/restore';
import { workspaceFile } from '../store/file/workspace-file';
import { backupsOf, restoreApart } from '../store/restore/restore-thread';
import { type Arguments, required } from './arguments';
import { type CommandResult, counted, table } from './output';

/**
 * `restore [BACKUP] --to DIR`: puts a new workspace together from a backup and from what is readable of the workspace;
 * without either, lists the backups. The workspace is not opened: it may be damaged.
 */
export async function restoreCommand(
  folder: string | null,
  args: Arguments,
  installation: { device: string; data: string },
): Promise<CommandResult> {
  const word = args.words[1];
  if (word === undefined && args.values.to === undefined) {
    return list(workspaceOf(folder));
  }
  const to = resolve(required(args.values.to, '--to, the new folder,'));
  const path = word === undefined ? null : pathOf(word);
  if (path !== null && (args.values.workspace === undefined || folder === null)) {
    return done(await restoreApart({ backup: path, from: workspaceAround(path), to, ...installation }));
  }
  const from = workspaceOf(folder);
  const backup = path ?? (await choose(from, word));
  const damaged = backup === null ? (await backupsOf(from)).length : 0;
  return done(await restoreApart({ backup, from, to, ...installation }), damaged);
}

function workspaceOf(folder: string | null): string {
  if (folder !== null) return folder;
  throw new WaymarkError('bad_input', 'No workspace was named. Add --workspace DIR, or name a backup file.');
}

/** A file that was named by its path; null: a number or a name of the list. */
function pathOf(word: string): string | null {
  return /[/\\]/.test(word) || existsSync(word) ? resolve(word) : null;
}

/** The workspace whose backups folder holds the file, if it is there. */
function workspaceAround(path: string): string | null {
  const folder = dirname(dirname(path));
  return basename(dirname(path)) === 'backups' && existsSync(workspaceFile(folder)) ? folder : null;
}

/** The file of a name or number of the list; without one the newest that can be read. Null: there is none. */
async function choose(folder: string, word: string | undefined): Promise<string | null> {
  const backups = await backupsOf(folder);
  const found =
    word === undefined
      ? backups.find(({ problem }) => problem === null)
      : (backups.find(({ name }) => name === word) ??
        (/^\d+$/.test(word) ? backups[Number(word) - 1] : undefined));
  if (found === undefined && word !== undefined) {
    throw new WaymarkError(
      'not_found',
      `There is no backup "${word}" in ${folder}. "restore" without a name lists them.`,
    );
  }
  return found === undefined ? null : join(folder, 'backups', found.name);
}

async function list(folder: string): Promise<CommandResult> {
  const backups = await backupsOf(folder);
  return {
    json: { folder, backups },
    lines:
      backups.length === 0
        ? [`There are no backups in ${folder}. Recover what is still readable with: restore --to DIR`]
        : [
            ...table(backups.map((row, index) => [String(index + 1), row.name, ...wordsOf(row)])),
            'Restore one with: restore NUMBER --to DIR',
          ],
  };
}

function wordsOf({ contents, problem }: BackupRow): string[] {
  if (contents === null) return [problem ?? ''];
  const { runs, labels, hints, people } = contents;
  const by = people.length === 0 ? '' : ` by ${people.join(', ')}`;
  return [`${counted(runs, 'run')}, ${counted(labels, 'label')}${by}, ${counted(hints, 'hint')}`];
}

/** `damaged`: copies that are there and cannot be read, where none was taken. */
function done(report: RestoreReport, damaged = 0): CommandResult {
  return { json: report, lines: reportLines(report, damaged), exitCode: report.complete ? 0 : 1 };
}

function reportLines(report: RestoreReport, damaged: number): string[] {
  const { folder, backup, runs, labels, hints, people, notes, remarks, complete } = report;
  const whole = runs.filter(({ state }) => state === 'log').length;
  const wanted = runs.filter(({ state }) => state !== 'removed').length;
  const by = people.length === 0 ? '' : ` by ${people.join(', ')}`;
  return [
    ...runs.flatMap(runLines),
    ...notes,
    ...remarks,
    `Restored ${whole} of ${counted(wanted, 'run')}, ${counted(labels, 'label')}${by} and ${counted(hints, 'hint')} into ${folder}.`,
    backup === null ? noBackup(damaged) : `Backup: ${backup}`,
    ...(complete ? [] : ['Not everything could be restored; what is missing is listed above.']),
    'The old folder was not changed.',
  ];
}

function noBackup(damaged: number): string {
  if (damaged === 0) return 'No backup was read: there is none.';
  return `No backup was read: ${damaged === 1 ? 'the only one is damaged' : `all ${damaged} are damaged`}.`;
}

function runLines({ id, title, state, steps, labels, hints, notes }: RestoredRun): string[] {
  const said = `${counted(labels, 'label')}, ${counted(hints, 'hint')}`;
  const what = {
    log: `restored: ${counted(steps, 'step')}, ${said}`,
    lost: `not restored${labels === 0 ? '' : `; ${counted(labels, 'label')} set aside`}`,
    removed: 'had been removed',
  };
  return [`${id}  ${title === '' ? '' : `${title}  `}${what[state]}`, ...notes.map((note) => `  ${note}`)];
}
