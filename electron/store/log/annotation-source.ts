import { existsSync, readFileSync, statSync } from 'node:fs';
import { WaymarkError } from '@shared/contract/errors';
import { idSchema } from '@shared/contract/id';
import { z } from 'zod';
import { type Db, openDatabase, storeFailure } from '../file/database';
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
const MAX_FILE_BYTES = 512 * 1024 * 1024;

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
    return isDatabaseFile(path) ? backupSource(path) : fileSource(path);
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
  const path = workspaceFile(folder);
  requireLog(path);
  lookInto(path);
  const db: Db = openDatabase(path, { readonly: true });
  // One state of the log for both passes over it.
  db.exec('BEGIN');
  return { entries: () => storedEntries(new Statements(db)), close: () => db.close() };
}

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const line = z.union([
  z.strictObject({ hash, body: z.string().min(1) }),
  z.strictObject({
    ...{ hash, purged: z.literal(true), device: z.string(), deviceSeq: z.int().positive() },
    ...{ ulid: idSchema, run: idSchema },
  }),
]);
const bodyHead = z.object({
  ...{ ulid: idSchema, device: z.string().min(1), deviceSeq: z.int().positive() },
  target: z.object({ run: idSchema }),
});

function fileSource(path: string): AnnotationSource {
  if (statSync(path).size > MAX_FILE_BYTES) {
    throw new WaymarkError(
      'unsupported',
      `${path} is larger than 512 MB. Merge the workspace's folder instead.`,
    );
  }
  const lines = readFileSync(path, 'utf8').split('\n');
  const first = parseJson(lines[0] ?? '') as { format?: unknown; version?: unknown } | undefined;
  if (first?.format !== ANNOTATION_FORMAT) {
    throw new WaymarkError(
      'bad_input',
      `${path} was not made by "label export". Make the file there with "waymark label export --out FILE.jsonl", or name the workspace's folder.`,
    );
  }
  if (first.version !== ANNOTATION_FORMAT_VERSION) {
    throw new WaymarkError('workspace_newer', `${path} was made by a newer Waymark. Update this one first.`);
  }
  while (lines.at(-1) === '') {
    lines.pop();
  }
  const end = parseJson(lines.at(-1) ?? '') as { entries?: unknown } | undefined;
  if (end?.entries !== lines.length - 2) {
    throw new WaymarkError(
      'bad_input',
      `${path} ends early: it was not copied completely. Nothing was merged. Copy it again.`,
    );
  }
  const rows = lines.slice(1, -1);
  return {
    *entries() {
      for (const [index, text] of rows.entries()) {
        yield entryOf(text, `Line ${index + 2} of ${path}`);
      }
    },
    close: () => undefined,
  };
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What does not parse is refused by whoever asked, with the line's number.
    return undefined;
  }
}
