import { existsSync, statSync } from 'node:fs';
import { nestsDeeper } from '@shared/base/json-depth';
import { WaymarkError } from '@shared/contract/errors';
import { idSchema } from '@shared/contract/id';
import { z } from 'zod';
import { inside } from '../../files/inside';
import { linesOfRegularFile } from '../../files/regular-file';
import { configureReader, type Db, openDatabase, storeFailure, systemCode } from '../file/database';
import { Statements } from '../file/rows';
import { lookInto, workspaceFile } from '../file/workspace-file';
import { findLog, requireLog } from '../file/workspace-log';
import { isDatabaseFile, openBackup } from '../restore/backup-file';
import { type SourceEntry, storedEntries } from './stored-entries';

/** Another annotation log: each device's entries in their order, one device after another. Close it. */
export interface AnnotationSource {
  entries(): IterableIterator<SourceEntry>;
  close(): void;
}

export const ANNOTATION_FORMAT = 'waymark-annotations';
export const ANNOTATION_FORMAT_VERSION = 1;
/** Whoever copies a file by hand may leave some at its end. */
const MOST_EMPTY = 1000;
/** A correction of a megabyte, escaped twice, is the longest entry there is. */
const LIMITS = { most: 512 * 1024 ** 2, line: 16 * 1024 ** 2, outcome: 'Nothing was merged.' };

/**
 * Opens a workspace's folder, which may be in use and stays as it is, a file made by `label export`, or a backup.
 * @throws WaymarkError not_found, bad_input, workspace_newer, workspace_corrupt
 */
export function openAnnotationSource(path: string): AnnotationSource {
  if (!existsSync(path)) {
    throw new WaymarkError(
      'not_found',
      `There is nothing at ${path}. Name the folder of another workspace, a backup, or a file of "label export".`,
    );
  }
  if (!statSync(path).isDirectory()) {
    return isDatabaseFile(path, LIMITS.outcome) ? backupSource(path) : fileSource(path);
  }
  if (findLog(workspaceFile(path)).is === 'none') {
    throw new WaymarkError(
      'bad_input',
      `The folder ${path} is not a Waymark workspace. Name the folder that holds workspace.db.`,
    );
  }
  try {
    return workspaceSource(path);
  } catch (thrown) {
    throw storeFailure(thrown, `the workspace ${path}`);
  }
}

function backupSource(path: string): AnnotationSource {
  const statements = openBackup(path);
  return { entries: () => storedEntries(statements), close: () => statements.db.close() };
}

function workspaceSource(folder: string): AnnotationSource {
  const path = inside(folder, 'workspace.db');
  requireLog(path);
  lookInto(path);
  const db: Db = openDatabase(path, { readonly: true });
  try {
    configureReader(db);
    requireTables(db, path);
    // One state of the log for all passes over it.
    db.exec('BEGIN');
  } catch (thrown) {
    db.close();
    throw thrown;
  }
  return { entries: () => storedEntries(new Statements(db)), close: () => db.close() };
}

const COLUMNS: readonly [string, string][] = [
  ['annotation', 'device, device_seq, ulid, run, body, hash'],
  ['kept_annotation', 'device, device_seq, ulid, run, body, hash'],
  ['run', 'id, ulid'],
];

/** What is read are tables of ours: a view in the place of one may never end. An older workspace keeps nothing aside. */
function requireTables(db: Db, path: string): void {
  const kind = db.prepare('SELECT type FROM sqlite_schema WHERE name = ?').pluck();
  for (const [table, columns] of COLUMNS) {
    const found = kind.get(table);
    if (found === undefined && table === 'kept_annotation') continue;
    if (found === 'table' && isReadable(db, `SELECT ${columns} FROM ${table} LIMIT 0`)) continue;
    throw new WaymarkError(
      'workspace_corrupt',
      `${path} is damaged: its table ${table} is missing or of an unknown form. Nothing was merged. Run "verify" there.`,
    );
  }
}

function isReadable(db: Db, sql: string): boolean {
  try {
    db.prepare(sql);
    return true;
  } catch (thrown) {
    // A column that is not there.
    if (systemCode(thrown) === 'SQLITE_ERROR') return false;
    throw thrown;
  }
}

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const line = z.union([
  z.strictObject({ hash, body: z.string().min(1) }),
  z.strictObject({
    hash,
    purged: z.literal(true),
    device: z.string(),
    deviceSeq: z.int().positive(),
    ulid: idSchema,
    run: idSchema,
  }),
]);
const bodyHead = z.object({
  ulid: idSchema,
  device: z.string().min(1),
  deviceSeq: z.int().positive(),
  target: z.object({ run: idSchema }),
});

function fileSource(path: string): AnnotationSource {
  const [head = ''] = linesOfRegularFile(path, path, LIMITS);
  const first = parseJson(head) as { format?: unknown; version?: unknown } | undefined;
  if (first?.format !== ANNOTATION_FORMAT) {
    throw new WaymarkError(
      'bad_input',
      `${path} was not made by "label export". Make the file there with "waymark label export --out FILE.jsonl", or name the workspace's folder.`,
    );
  }
  if (first.version !== ANNOTATION_FORMAT_VERSION) {
    throw new WaymarkError('workspace_newer', `${path} was made by a newer Waymark. Update this one first.`);
  }
  return { entries: () => entriesOf(path), close: () => undefined };
}

/** The last line that is not empty says how many entries there are; it is known for the last when the file ends. */
function* entriesOf(path: string): Generator<SourceEntry, void, undefined> {
  let number = 0;
  let held: { text: string; number: number } | null = null;
  let count = 0;
  let empty = 0;
  for (const text of linesOfRegularFile(path, path, LIMITS)) {
    number += 1;
    if (text === '') empty += 1;
    if (empty > MOST_EMPTY) {
      throw new WaymarkError(
        'bad_input',
        `${path} holds more than ${MOST_EMPTY} empty lines. Nothing was merged.`,
      );
    }
    if (number === 1 || text === '') continue;
    if (held !== null) {
      yield entryOf(held.text, `Line ${held.number} of ${path}`);
      count += 1;
    }
    held = { text, number };
  }
  const end = parseJson(held?.text ?? '') as { entries?: unknown } | undefined;
  if (end?.entries !== count) {
    throw new WaymarkError(
      'bad_input',
      `${path} ends early: it was not copied completely. Nothing was merged. Copy it again.`,
    );
  }
}

function entryOf(text: string, where: string): SourceEntry {
  const parsed = line.safeParse(parseJson(text));
  if (parsed.success && 'purged' in parsed.data) {
    const { device, deviceSeq, ulid, run } = parsed.data;
    return { device, deviceSeq, ulid, run, body: '', hash: parsed.data.hash };
  }
  const body = parsed.success && 'body' in parsed.data ? parsed.data.body : '';
  const head = bodyHead.safeParse(parseJson(body));
  if (!parsed.success || !head.success) {
    throw new WaymarkError('bad_input', `${where} is not an entry of an annotation log. Nothing was merged.`);
  }
  const { device, deviceSeq, ulid, target } = head.data;
  return { device, deviceSeq, ulid, run: target.run, body, hash: parsed.data.hash };
}

/** A line and an entry nest to six at most. */
const MOST_LEVELS = 64;

function parseJson(text: string): unknown {
  if (nestsDeeper(text, MOST_LEVELS)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // What does not parse is refused by whoever asked, with the line's number.
    return undefined;
  }
}
