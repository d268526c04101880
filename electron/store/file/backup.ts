import { readdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { VerifyProblem } from '@shared/contract/views';
import { inside } from '../../files/inside';
import { makeFileIn, makeFoldersIn } from '../../files/private';
import { removeFile } from '../../files/remove';
import { workLockPath } from '../../files/workspace-paths';
import { checkEnds } from '../log/annotation-ends';
import { RUBRIC_COLUMNS } from '../log/rubric-settings';
import { holdLock } from '../log/run-lock';
import { checkAnnotations, checkOutbox } from '../verify/verify-entries';
import { backupName, outlived, stampOf } from './backup-names';
import { syncFolder } from './blob-store';
import { openDatabase } from './database';
import { Statements } from './rows';

const FOLDER = 'backups';

/** "WAYB" in a file's application_id; copies of the first form have none. */
export const BACKUP_APPLICATION_ID = 0x5741_5942;

/**
 * Form of the copies: 2 names the runs and holds what a workspace says about the rules of tasks; 3 holds rubrics as well, 4 those for
 * summaries too.
 */
export const BACKUP_VERSION = 4;

const UNFINISHED_NAME = /^logs-.*\.db\.tmp(-journal)?$/;

/** How long a copy waits for another process's copy, ms; each takes well under a second. */
const PATIENCE_MS = 10_000;

const TABLES = `
CREATE TABLE run (id INTEGER PRIMARY KEY, ulid TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, title TEXT NOT NULL) STRICT;
CREATE TABLE outbox (id INTEGER PRIMARY KEY, ulid TEXT NOT NULL UNIQUE, run INTEGER NOT NULL, purged INTEGER NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE annotation (id INTEGER PRIMARY KEY, ulid TEXT NOT NULL UNIQUE, run INTEGER NOT NULL, author TEXT NOT NULL, op TEXT NOT NULL, undoes TEXT, device TEXT NOT NULL, device_seq INTEGER NOT NULL, purged INTEGER NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE kept_annotation (device TEXT NOT NULL, device_seq INTEGER NOT NULL, ulid TEXT NOT NULL UNIQUE, run TEXT NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (device, device_seq)) STRICT;
CREATE TABLE rule_setting (task TEXT PRIMARY KEY, body TEXT NOT NULL, at INTEGER NOT NULL, author TEXT NOT NULL, sum BLOB NOT NULL) STRICT;
CREATE TABLE rubric_setting (task TEXT PRIMARY KEY, text TEXT NOT NULL, at INTEGER NOT NULL, author TEXT NOT NULL, sum BLOB NOT NULL) STRICT;
CREATE TABLE summary_rubric (task TEXT PRIMARY KEY, text TEXT NOT NULL, at INTEGER NOT NULL, author TEXT NOT NULL, sum BLOB NOT NULL) STRICT;`;

/** A table, its columns, and where they come from when not from the table of the same name. */
const COPIES: readonly [string, string, string?][] = [
  [
    'run',
    'id, ulid, created_at, title',
    "SELECT r.id, r.ulid, r.created_at, coalesce(json_extract(h.facts, '$.title'), '') FROM run r LEFT JOIN run_head h ON h.run = r.id",
  ],
  ['outbox', 'id, ulid, run, purged, body, hash'],
  ['annotation', 'id, ulid, run, author, op, undoes, device, device_seq, purged, body, hash'],
  ['kept_annotation', 'device, device_seq, ulid, run, body, hash'],
  ['rule_setting', 'task, body, at, author, sum'],
  ['rubric_setting', `${RUBRIC_COLUMNS}, sum`],
  ['summary_rubric', `${RUBRIC_COLUMNS}, sum`],
];

/**
 * Copies what people said (outbox, annotation log, rule settings, rubrics) into `backups/`, opens the copy and checks its chains
 * before it takes its final name. Processes that close at one moment take turns. Returns its path.
 * @param now ms since 1970
 * @throws WaymarkError workspace_corrupt where the source does not check, conflict where another process is copying
 */
export function createBackup(
  source: Statements,
  folder: string,
  now: number,
  patienceMs = PATIENCE_MS,
): string {
  const lock = holdLock(workLockPath(folder, 'backup'), 0, patienceMs);
  if (lock === null) {
    throw new WaymarkError(
      'conflict',
      'Another process is copying the hints and labels of this workspace. Try again in a moment.',
    );
  }
  try {
    return copyInto(folder, source, now);
  } finally {
    lock.release();
  }
}

function copyInto(workspace: string, source: Statements, now: number): string {
  refuseDamaged(checkEnds(source)[0]);
  makeFoldersIn(workspace, FOLDER);
  const backups = inside(workspace, FOLDER);
  deleteUnfinished(workspace);
  // The copy that follows is the newer one, also after the clock went back: it goes by its name.
  const newest = Math.max(0, ...readdirSync(backups).map((name) => stampOf(name) ?? 0));
  const path = join(backups, backupName(Math.max(now, newest + 1)));
  const temporary = `${path}.tmp`;
  makeFileIn(workspace, FOLDER, basename(temporary));
  copyLogs(source, temporary);
  checkCopy(workspace, temporary);
  renameSync(temporary, path);
  syncFolder(backups);
  rotate(workspace);
  return path;
}

/** Copies of processes that died at it: nobody else is copying now. */
function deleteUnfinished(workspace: string): void {
  for (const name of readdirSync(inside(workspace, FOLDER))) {
    if (UNFINISHED_NAME.test(name)) removeFile(workspace, FOLDER, name);
  }
}

function copyLogs(source: Statements, path: string): void {
  const copy = openDatabase(path);
  try {
    copy.pragma('journal_mode = DELETE');
    copy.pragma('synchronous = FULL');
    copy.exec(TABLES);
    copy.pragma(`application_id = ${BACKUP_APPLICATION_ID}`);
    copy.pragma(`user_version = ${BACKUP_VERSION}`);
    source.db.exec('BEGIN');
    try {
      copy.exec('BEGIN');
      for (const [table, columns, from = `SELECT ${columns} FROM ${table}`] of COPIES) {
        const places = columns.replace(/\w+/g, '?');
        const insert = copy.prepare(`INSERT INTO ${table} (${columns}) VALUES (${places})`);
        for (const row of source.prepare(`${from} ORDER BY 1`).raw().iterate()) {
          insert.run(...(row as unknown[]));
        }
      }
      copy.exec('COMMIT');
    } finally {
      source.db.exec('COMMIT');
    }
  } finally {
    copy.close();
  }
}

function checkCopy(workspace: string, path: string): void {
  const db = openDatabase(path, { readonly: true });
  try {
    const sound = db.pragma('integrity_check', { simple: true });
    const statements = new Statements(db);
    if (sound !== 'ok') refuseDamaged({ where: 'pages', message: String(sound) });
    refuseDamaged([...checkOutbox(statements), ...checkAnnotations(statements)][0]);
  } catch (thrown) {
    db.close();
    removeFile(workspace, FOLDER, basename(path));
    throw thrown;
  }
  db.close();
}

/** A copy of a log that has lost something would in time be the only one. */
function refuseDamaged(problem: Pick<VerifyProblem, 'where' | 'message'> | undefined): void {
  if (problem === undefined) return;
  throw new WaymarkError(
    'workspace_corrupt',
    'Hints and labels were not copied: the log does not check. Earlier copies are kept. Run "verify".',
    `${problem.where}: ${problem.message}`,
  );
}

function rotate(workspace: string): void {
  for (const name of outlived(readdirSync(inside(workspace, FOLDER)))) removeFile(workspace, FOLDER, name);
}
