import { statSync } from 'node:fs';
import { inside } from '../../files/inside';
import { makeFileIn } from '../../files/private';
import { removeFile } from '../../files/remove';
import { configureReader, type Db, isDiskFull, openDatabase, systemCode } from '../file/database';

/** Raised when texts or tokenizer change: an index of another version is filled anew. */
export const INDEX_VERSION = 2;

export const INDEX_TABLES = ['about', 'cursor', 'buried', 'step'] as const;
export const INDEX_SCHEMA = `
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE cursor (run INTEGER PRIMARY KEY, seq INTEGER NOT NULL, step INTEGER NOT NULL) STRICT;
CREATE TABLE buried (run INTEGER NOT NULL, mode TEXT NOT NULL, PRIMARY KEY (run, mode)) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE step USING fts5 (thought, args, obs, hint, file, content = '', contentless_delete = 1,
  tokenize = 'unicode61 remove_diacritics 2');`;

export function indexFile(folder: string): string {
  return inside(folder, 'search.db');
}

/** Opens the index; a damaged one is only a copy and thrown away. */
export function openIndexFile(folder: string): Db {
  try {
    return configure(openDatabase(makeFileIn(folder, 'search.db')));
  } catch (thrown) {
    if (!isDamaged(thrown)) {
      throw thrown;
    }
    deleteIndexFile(folder);
    return configure(openDatabase(makeFileIn(folder, 'search.db')));
  }
}

/** The same; where the disk has no room for it an empty one in memory, so that the workspace can be read and freed. */
export function openIndex(folder: string): { db: Db; inFile: boolean } {
  try {
    return { db: openIndexFile(folder), inFile: true };
  } catch (thrown) {
    if (!isDiskFull(thrown, folder)) throw thrown;
    return { db: openDatabase(':memory:'), inFile: false };
  }
}

function configure(db: Db): Db {
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('wal_autocheckpoint = 4000');
    configureReader(db);
    db.pragma('query_only = OFF');
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

const FILES = ['', '-wal', '-shm'].map((suffix) => `search.db${suffix}`);

export function deleteIndexFile(folder: string): void {
  for (const name of FILES) removeFile(folder, name);
}

/** How much room the index takes. */
export function indexBytes(folder: string): number {
  return FILES.reduce(
    (sum, name) => sum + (statSync(inside(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

export function isDamaged(thrown: unknown): boolean {
  const code = systemCode(thrown);
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';
}
