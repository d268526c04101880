import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { WaymarkError } from '@shared/contract/errors';
import Database from 'better-sqlite3';
import { offerAddresses } from './file-addresses';
import { holderWords, lockHolder } from './lock-holder';
import { nativeBinding } from './native-binding';

export type Db = Database.Database;
export type Statement = Database.Statement<unknown[], unknown>;

/** "WAYM" in a file's application_id: tells a workspace from any other SQLite file. */
export const WORKSPACE_APPLICATION_ID = 0x5741_594d;

/** What SQLite opens beside a file when it opens that. */
const BESIDE = ['', '-wal', '-shm', '-journal'];

/** SQLite waits for ever at a pipe and reads a device without end; a folder it refuses itself. Links on the way are the caller's to judge. */
function refuseSpecial(path: string): void {
  if (path === '' || path.startsWith(':') || path.startsWith('file:')) return;
  for (const end of BESIDE) {
    const found = statSync(path + end, { throwIfNoEntry: false });
    if (found === undefined || found.isFile() || found.isDirectory()) continue;
    throw new WaymarkError(
      'workspace_corrupt',
      `${path}${end} is not a regular file. Put the file itself in its place, or remove what is there.`,
    );
  }
}

/**
 * Opens a file with the add-on that fits this runtime. `path` '' is a private temporary database.
 * @throws WaymarkError workspace_corrupt for a pipe, a device or a socket in its place, or beside it; else what SQLite says
 */
export function openDatabase(
  path: string,
  options: { readonly?: boolean; mustExist?: boolean; timeoutMs?: number } = {},
): Db {
  refuseSpecial(path);
  const binding = nativeBinding();
  const over = offerAddresses();
  try {
    return new Database(path, {
      readonly: options.readonly ?? false,
      fileMustExist: options.mustExist ?? options.readonly ?? false,
      timeout: options.timeoutMs ?? 5000,
      ...(binding === undefined ? {} : { nativeBinding: binding }),
    });
  } finally {
    over();
  }
}

/**
 * The index thread checkpoints beside the writer (`CHECKPOINT_BYTES`), so that no append waits for it; the
 * writer does it itself only when that thread has fallen behind. 16 MB: a merge of 10,000 labels writes less.
 */
const WRITER_CHECKPOINT_PAGES = 4000;

/** Size of the write-ahead log at which it is copied into the main file. */
export const CHECKPOINT_BYTES = 4 * 1024 * 1024;

/**
 * Pages that a connection keeps, KiB. It fills over hours and is never given back, and an application has several connections: 16 MiB
 * each were 0.3 MB more an hour in P18. The system keeps the same pages.
 */
const CACHE_KIB = 4096;

/**
 * Pragmas of every connection to a workspace. `synchronous` is set by hand because this build's default in
 * WAL mode is NORMAL, which may lose acknowledged commits on power loss.
 */
export function configureWriter(db: Db): void {
  db.pragma('page_size = 4096');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma(`wal_autocheckpoint = ${WRITER_CHECKPOINT_PAGES}`);
  db.pragma(`journal_size_limit = ${64 * 1024 * 1024}`);
  configureSafety(db);
}

/** A connection for bounded reads; it may not write a byte. */
export function configureReader(db: Db): void {
  configureSafety(db);
  db.pragma('query_only = ON');
}

function configureSafety(db: Db): void {
  db.pragma('foreign_keys = ON');
  db.pragma('cell_size_check = ON');
  db.pragma('trusted_schema = OFF');
  db.pragma(`cache_size = -${CACHE_KIB}`);
  db.pragma('temp_store = MEMORY');
}

/** The code of an error that SQLite or the file system raised, else ''. */
export function systemCode(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}

/**
 * Whether there was no room. SQLite says it of some writes only; of the others (its shared memory, a file to be made) it
 * says that they failed, and the disk of `folder` has to be asked.
 */
export function isDiskFull(thrown: unknown, folder?: string): boolean {
  const code = systemCode(thrown);
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT') return true;
  return folder !== undefined && NEEDS_ROOM.has(code) && hasNoRoom(folder);
}

const NEEDS_ROOM: ReadonlySet<string> = new Set([
  ...[
    'SQLITE_CANTOPEN',
    'SQLITE_IOERR',
    'SQLITE_IOERR_WRITE',
    'SQLITE_IOERR_FSYNC',
    'SQLITE_IOERR_DIR_FSYNC',
  ],
  ...['SQLITE_IOERR_TRUNCATE', 'SQLITE_IOERR_CLOSE', 'SQLITE_IOERR_SHMOPEN', 'SQLITE_IOERR_SHMSIZE'],
  ...['SQLITE_IOERR_SHMMAP', 'SQLITE_IOERR_GETTEMPPATH'],
]);

/** Less than the smallest thing that SQLite makes: the shared memory of a write-ahead log, bytes. */
const LEAST_ROOM = 32 * 1024;

export function hasNoRoom(folder: string): boolean {
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  // A file system that does not count files says 0.
  return bavail * bsize < LEAST_ROOM || (files > 0 && ffree === 0);
}

/** Whether this user may make files in a folder, as far as its mode and its mount say. */
export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (thrown) {
    if (['EROFS', 'EACCES', 'EPERM'].includes(systemCode(thrown))) return false;
    throw thrown;
  }
}

/** As the beginning of a sentence; a path stays as it is. */
function begun(what: string): string {
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
}

/** Memory, open files or the system's own locks ran out for a moment. */
const BUSY_SYSTEM: ReadonlySet<string> = new Set([
  ...['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'ENOLCK'],
  ...['SQLITE_NOMEM', 'SQLITE_IOERR_NOMEM', 'SQLITE_IOERR_LOCK', 'SQLITE_IOERR_SHMLOCK'],
]);

/** The code once, with the words that came with it. */
function detailOf(thrown: unknown, code: string): string {
  if (!(thrown instanceof Error)) return code;
  return thrown.message.startsWith(code) ? thrown.message : `${code}: ${thrown.message}`;
}

/**
 * Turns what SQLite or the file system raised while working on `what` into an expected failure; anything
 * that is neither comes back as it is, because it is a bug. `folder`: a folder on the disk in question, where it is known.
 */
export function storeFailure(thrown: unknown, what: string, folder?: string): unknown {
  if (thrown instanceof WaymarkError) {
    return thrown;
  }
  const code = systemCode(thrown);
  const detail = detailOf(thrown, code);
  if (isDiskFull(thrown, folder)) {
    return new WaymarkError('disk_full', `The disk that holds ${what} is full. Free some space.`, detail);
  }
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return new WaymarkError(
      'workspace_corrupt',
      `${what} is damaged. Run "verify" to see what is affected, and "restore" to copy what is intact to a new folder.`,
      detail,
    );
  }
  if (folder !== undefined && NEEDS_ROOM.has(code) && !isWritable(folder)) {
    return new WaymarkError(
      'read_only',
      `${begun(what)} cannot be written: its disk or folder is read-only. It can be read; to work in it, copy its folder to a disk that can be written.`,
      detail,
    );
  }
  if (code.startsWith('SQLITE_READONLY') || code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
    return new WaymarkError('read_only', `${what} cannot be written. Check its permissions.`, detail);
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new WaymarkError(
      'workspace_locked',
      `Another program has held ${what} for more than 5 seconds${folder === undefined ? '' : holderWords(lockHolder(folder))}. Close it and try again.`,
      detail,
    );
  }
  if (BUSY_SYSTEM.has(code)) {
    return new WaymarkError(
      'system_busy',
      `The system has no memory or open files left for ${what}. Close other programs; work continues when there is room.`,
      detail,
    );
  }
  if (code.startsWith('SQLITE_IOERR') || code === 'SQLITE_CANTOPEN') {
    return new WaymarkError(
      'workspace_corrupt',
      `The system cannot read or write ${what}. Check the disk and the permissions, then try again.`,
      detail,
    );
  }
  return thrown;
}

/** The version of the SQLite that is built into the add-on of this runtime. */
export function sqliteVersion(): string {
  const db = openDatabase(':memory:');
  try {
    return db.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '';
  } finally {
    db.close();
  }
}

/** One numbered change of the schema; never edited once released. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
}
