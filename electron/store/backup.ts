import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/errors';
import { syncFolder } from './blob-store';
import { openDatabase } from './database';
import { Statements } from './rows';
import { checkAnnotations, checkOutbox } from './verify-entries';

/** Newest copies that are always kept, and days of which the newest copy is kept. */
const KEEP_NEWEST = 8;
const KEEP_DAYS = 7;

const TABLES = `
CREATE TABLE run (id INTEGER PRIMARY KEY, ulid TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL) STRICT;
CREATE TABLE outbox (id INTEGER PRIMARY KEY, ulid TEXT NOT NULL UNIQUE, run INTEGER NOT NULL, purged INTEGER NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE annotation (id INTEGER PRIMARY KEY, ulid TEXT NOT NULL UNIQUE, run INTEGER NOT NULL, author TEXT NOT NULL, op TEXT NOT NULL, undoes TEXT, device TEXT NOT NULL, device_seq INTEGER NOT NULL, purged INTEGER NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE kept_annotation (device TEXT NOT NULL, device_seq INTEGER NOT NULL, ulid TEXT NOT NULL UNIQUE, run TEXT NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (device, device_seq)) STRICT;`;

const COPIES: readonly [string, string][] = [
  ['run', 'id, ulid, created_at'],
  ['outbox', 'id, ulid, run, purged, body, hash'],
  ['annotation', 'id, ulid, run, author, op, undoes, device, device_seq, purged, body, hash'],
  ['kept_annotation', 'device, device_seq, ulid, run, body, hash'],
];

/**
 * Copies what people said (outbox and annotation log) into `backups/`, opens the copy and checks its chains
 * before it takes its final name. Returns its path. Throws `workspace_corrupt` when the source does not check.
 */
export function createBackup(source: Statements, folder: string, now: number): string {
  const backups = join(folder, 'backups');
  mkdirSync(backups, { recursive: true });
  const path = join(backups, `logs-${new Date(now).toISOString().replace(/[:.]/g, '-')}.db`);
  const temporary = `${path}.tmp`;
  rmSync(temporary, { force: true });
  copyLogs(source, temporary);
  checkCopy(temporary);
  renameSync(temporary, path);
  syncFolder(backups);
  rotate(backups);
  return path;
}

function copyLogs(source: Statements, path: string): void {
  const copy = openDatabase(path);
  try {
    copy.pragma('journal_mode = DELETE');
    copy.pragma('synchronous = FULL');
    copy.exec(TABLES);
    source.db.exec('BEGIN');
    try {
      copy.exec('BEGIN');
      for (const [table, columns] of COPIES) {
        const places = columns.replace(/\w+/g, '?');
        const insert = copy.prepare(`INSERT INTO ${table} (${columns}) VALUES (${places})`);
        for (const row of source.prepare(`SELECT ${columns} FROM ${table} ORDER BY 1`).raw().iterate()) {
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

function checkCopy(path: string): void {
  const db = openDatabase(path, { readonly: true });
  try {
    const sound = db.pragma('integrity_check', { simple: true });
    const statements = new Statements(db);
    const problem = [...checkOutbox(statements), ...checkAnnotations(statements)][0];
    if (sound !== 'ok' || problem !== undefined) {
      throw new WaymarkError(
        'workspace_corrupt',
        'Hints and labels were not copied: the log does not check. Earlier copies are kept. Run "verify".',
        problem === undefined ? String(sound) : `${problem.where}: ${problem.message}`,
      );
    }
  } catch (thrown) {
    db.close();
    rmSync(path, { force: true });
    throw thrown;
  }
  db.close();
}

function rotate(backups: string): void {
  const files = readdirSync(backups)
    .filter((name) => /^logs-.*\.db$/.test(name))
    .sort()
    .reverse();
  const keep = new Set(files.slice(0, KEEP_NEWEST));
  const days = new Set<string>();
  for (const file of files) {
    const day = file.slice(0, 'logs-2026-01-01'.length);
    if (!days.has(day) && days.size < KEEP_DAYS) {
      keep.add(file);
    }
    days.add(day);
  }
  for (const file of files) {
    if (!keep.has(file)) {
      rmSync(join(backups, file), { force: true });
    }
  }
}
