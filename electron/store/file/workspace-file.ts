import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { newUlid } from '../../base/new-ulid';
import { inside } from '../../files/inside';
import { closeToOthers, makeFileIn } from '../../files/private';
import { WORKSPACE_PARTS } from '../../files/workspace-paths';
import { rowSum } from '../log/hashing';
import {
  configureReader,
  configureWriter,
  type Db,
  isDiskFull,
  openDatabase,
  storeFailure,
  systemCode,
  WORKSPACE_APPLICATION_ID,
} from './database';
import { KnownWorkspaces } from './known-workspaces';
import { makeFolder } from './make-folder';
import { isVersion, migrate, migrations, readVersion, refuseNewer } from './migrate';
import { refuseNetworkFileSystem } from './network-file-system';
import { openToRead } from './open-to-read';
import { findLog, hasLog, requireLog } from './workspace-log';

const NEWEST = migrations.at(-1)?.version ?? 0;

export function workspaceFile(folder: string): string {
  return join(folder, 'workspace.db');
}

/** SQLite takes names of 512 bytes; the longest below a workspace is a lock's, with what SQLite adds to it. */
const MOST_BYTES_OF_PATH = 512 - '/locks/01ARZ3NDEKTSV4RRFFQ69G5FAV.db-journal'.length - 1;

/**
 * Makes sure that this application may write the workspace, before anything is written to it. Throws
 * `workspace_newer`, `workspace_network_fs`, `workspace_corrupt` or `read_only`; the file stays untouched then. `began`: the file
 * was made, and nothing is in it yet.
 */
export function openForWriting(folder: string, began: () => void = () => undefined): Db {
  const path = workspaceFile(folder);
  try {
    refuseLongPath(folder);
    makeFolder(folder, 0o700);
    refuseNetworkFileSystem(folder);
    const isThere = hasLog(path);
    refuseLinks(folder);
    refuseSecondName(path);
    if (isThere) lookInto(path);
    closeToOthers(folder);
    makeFileIn(folder, 'workspace.db');
    if (!isThere) began();
    const db = openDatabase(path);
    try {
      configureWriter(db);
      const { from, to } = migrate(db);
      if (to !== readVersion(db)) {
        throw new WaymarkError('bug', 'The workspace did not reach the format it was brought to.');
      }
      workspaceId(db);
      // The format number must be in the main file, where an older application looks first.
      checkpoint(db, folder, from !== to);
      return db;
    } catch (thrown) {
      db.close();
      throw thrown;
    }
  } catch (thrown) {
    throw storeFailure(thrown, `the workspace ${workspaceFile(folder)}`, folder);
  }
}

/** @throws WaymarkError bad_input before anything is made */
function refuseLongPath(folder: string): void {
  const bytes = Buffer.byteLength(existsSync(folder) ? realpathSync(folder) : folder);
  if (bytes <= MOST_BYTES_OF_PATH) return;
  throw new WaymarkError(
    'bad_input',
    `The path of the workspace has ${bytes} bytes, and the database takes no more than ${MOST_BYTES_OF_PATH}: ${folder}. Choose a folder with a shorter path.`,
  );
}

/** What lies in a workspace lies there: a link in the place of a part leads writing and deleting elsewhere. */
function refuseLinks(folder: string): void {
  for (const part of WORKSPACE_PARTS) inside(folder, part);
}

/** On a full disk the main file cannot grow; whoever only wants to read, or to remove something, must not need that. */
function checkpoint(db: Db, folder: string, isNeeded: boolean): void {
  try {
    db.pragma('wal_checkpoint(PASSIVE)');
  } catch (thrown) {
    if (isNeeded || !isDiskFull(thrown, folder)) throw thrown;
  }
}

/** Opens a workspace that is there; it never makes one, and needs no room beside it. */
export function openForReading(folder: string): Db {
  try {
    const path = workspaceFile(folder);
    refuseLongPath(folder);
    requireLog(path);
    const db = openToRead(path);
    configureReader(db);
    return db;
  } catch (thrown) {
    throw storeFailure(thrown, `the workspace ${workspaceFile(folder)}`, folder);
  }
}

/**
 * Whether the file is a workspace that this application understands. Throws `workspace_corrupt` or `workspace_newer`; the folder
 * of a newer version is left as it is, without a file more. `evenDamaged`: for who brings back what is whole; a format number that
 * is none is passed over.
 */
export function lookInto(path: string, { evenDamaged = false } = {}): void {
  const judge = (version: number) => {
    if (!evenDamaged || isVersion(version)) refuseNewer(version, NEWEST);
  };
  judge(formatInFile(path));
  const db = openToRead(path, { readonly: true });
  try {
    const application = Number(db.pragma('application_id', { simple: true }));
    const version = readVersion(db);
    if (application !== WORKSPACE_APPLICATION_ID && (application !== 0 || version !== 0 || holdsTables(db))) {
      throw new WaymarkError(
        'workspace_corrupt',
        `${path} is not a Waymark workspace. Choose another folder.`,
      );
    }
    judge(version);
  } finally {
    db.close();
  }
}

/** The format that a workspace's file says it has, without SQLite, which would leave a log beside it; 0: it does not say. */
function formatInFile(path: string): number {
  const head = Buffer.alloc(72);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, head, 0, head.length, 0);
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    // What keeps it from being read is told by whoever opens it.
    if (systemCode(thrown) !== '') return 0;
    throw thrown;
  }
  const isOurs =
    head.toString('latin1', 0, 15) === 'SQLite format 3' &&
    head.readUInt32BE(68) === WORKSPACE_APPLICATION_ID;
  return isOurs ? head.readUInt32BE(60) : 0;
}

function holdsTables(db: Db): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}

/** Programs that open one file by two names keep a write-ahead log beside each, and write over what the other has committed. */
function refuseSecondName(path: string): void {
  const links = statSync(path, { throwIfNoEntry: false })?.nlink ?? 1;
  if (links <= 1) return;
  throw new WaymarkError(
    'refused',
    `${path} is a file with ${links} names (hard links, as "cp -al" makes them), so what is written through one can be lost through another. Close whatever has it open, then make it a file of its own: cp workspace.db own.db && mv own.db workspace.db`,
  );
}

/** Under which names an installation writes into a workspace's annotation log. */
export interface Devices {
  device: string;
  /** Names it had here while the file was another one. */
  earlier: string[];
}

/**
 * Identity of an installation within one workspace file, made when it first opens that file. Each copy of a folder,
 * also on the same machine, thereby counts its own annotation entries; a folder that was moved to another disk may
 * get a new identity, which is harmless. `installation` defaults to this machine.
 */
export function devicesOf(db: Db, folder: string, installation = machineKey()): Devices {
  const device = metaOnce(
    db,
    `device:${installation}:${fileKey(folder)}`,
    () => `${installation}.${newUlid()}`,
  );
  const known = db
    .prepare('SELECT value FROM meta WHERE key = ? OR instr(key, ?) = 1')
    .pluck()
    .all(`device:${installation}`, `device:${installation}:`) as string[];
  // Before identities were bound to the file, the installation's own name stood in the entries.
  return { device, earlier: [installation, ...known].filter((each) => each !== device) };
}

/** Who opens: what decides whether a workspace is one in which it has worked. */
export interface Installation {
  /** Its name, as for `devicesOf`; by default the machine's. */
  device?: string | undefined;
  /** The application's data folder, where it keeps which workspaces it has worked in. Absent: what their rows say counts. */
  data?: string | undefined;
}

/**
 * Whether the workspace came from elsewhere: its file is a copy in which no installation has written, or somebody else's, in which
 * this one has not, so what it asks for was asked for by others. A workspace that is not there yet, or cannot be looked into, is none
 * of somebody else's: opening it says what is wrong.
 */
export function isFromElsewhere(folder: string, installation: Installation = {}): boolean {
  if (!existsSync(workspaceFile(folder))) return false;
  const path = inside(folder, 'workspace.db');
  if (findLog(path).is !== 'there' || formatInFile(path) > NEWEST) return false;
  const db = openDatabase(path, { readonly: true });
  try {
    return !isKnownHere(db, folder, installation);
  } catch (thrown) {
    if (systemCode(thrown).startsWith('SQLITE_')) return false;
    throw thrown;
  } finally {
    db.close();
  }
}

/**
 * Whether this installation has written in the file of `folder`, or another one of the same user has. `db` holds what it says, and
 * that counts only of a file on the disk where the application keeps its own: there nobody else chooses number and birth of a file,
 * as whoever makes a disk image or a stick does.
 */
export function isKnownHere(db: Db, folder: string, { device = machineKey(), data }: Installation): boolean {
  if (data === undefined) return saysWritten(db, folder, device);
  if (new KnownWorkspaces(data).has(wholeKey(folder))) return true;
  return isOnDiskOf(folder, data) && saysWritten(db, folder, device);
}

/** This installation has worked in the workspace. */
export function rememberWorkspace(folder: string, data: string): void {
  new KnownWorkspaces(data).add(wholeKey(folder));
}

function isOnDiskOf(folder: string, data: string): boolean {
  const own = statSync(data, { throwIfNoEntry: false });
  return own !== undefined && own.dev === statSync(workspaceFile(folder)).dev;
}

/** What the rows say: that this installation has written in this very file, or another one of its owner. */
function saysWritten(db: Db, folder: string, installation: string): boolean {
  const key = fileKey(folder);
  if (readMeta(db, `device:${installation}:${key}`) !== undefined) return true;
  const { uid } = statSync(workspaceFile(folder));
  if (process.getuid !== undefined && process.getuid() !== uid) return false;
  const any = "SELECT 1 FROM meta WHERE substr(key, 1, 7) = 'device:' AND substr(key, -length(?)) = ?";
  return db.prepare(any).get(`:${key}`, `:${key}`) !== undefined;
}

/** The file by its number and birth, which no copy shares; not by its disk's number, which changes between starts. */
function fileKey(folder: string): string {
  return wholeKey(folder).slice(0, 16);
}

/** As it is remembered: no workspace holds all of it. */
function wholeKey(folder: string): string {
  const { ino, birthtimeNs } = statSync(workspaceFile(folder), { bigint: true });
  return createHash('sha256').update(`${ino} ${birthtimeNs}`).digest('hex');
}

/** Identity of the workspace itself: its search index names it. */
export function workspaceId(db: Db): string {
  return metaOnce(db, 'workspace', () => newUlid());
}

export function readMeta(db: Db, key: string): string | undefined {
  const row = db.prepare('SELECT value FROM meta WHERE key = ?').get(key) as { value: string } | undefined;
  return row?.value;
}

function metaOnce(db: Db, key: string, make: () => string): string {
  const known = readMeta(db, key);
  if (known !== undefined) {
    return known;
  }
  const value = make();
  // Another process may have been first.
  db.prepare('INSERT OR IGNORE INTO meta (key, value, sum) VALUES (?, ?, ?)').run(
    key,
    value,
    rowSum(key, value),
  );
  return readMeta(db, key) ?? value;
}

function machineKey(): string {
  let machine = hostname();
  try {
    machine += readFileSync('/etc/machine-id', 'utf8').trim();
  } catch (thrown) {
    // Not every system has the file; the host's name then stands alone.
    if (systemCode(thrown) !== 'ENOENT' && systemCode(thrown) !== 'EACCES') {
      throw thrown;
    }
  }
  return createHash('sha256').update(machine).digest('hex').slice(0, 16);
}
