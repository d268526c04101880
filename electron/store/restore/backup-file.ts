import { nestsDeeper } from '@shared/base/json-depth';
import { WaymarkError } from '@shared/contract/errors';
import type { BackupContents } from '@shared/contract/ipc/restore';
import { type AnnotationEntry, annotationEntrySchema } from '@shared/log/annotations';
import { headOfRegularFile } from '../../files/regular-file';
import { BACKUP_APPLICATION_ID, BACKUP_VERSION } from '../file/backup';
import { configureReader, openDatabase, storeFailure, WORKSPACE_APPLICATION_ID } from '../file/database';
import { isVersion, readVersion } from '../file/migrate';
import { Statements } from '../file/rows';
import { storedEntries } from '../log/stored-entries';
import { checkAnnotations, checkOutbox } from '../verify/verify-entries';

/** Tables of each form; the first carried no number. */
const TABLES: Readonly<Record<number, readonly string[]>> = {
  0: ['annotation', 'kept_annotation', 'outbox', 'run'],
  2: ['annotation', 'kept_annotation', 'outbox', 'rule_setting', 'run'],
  3: ['annotation', 'kept_annotation', 'outbox', 'rubric_setting', 'rule_setting', 'run'],
  4: ['annotation', 'kept_annotation', 'outbox', 'rubric_setting', 'rule_setting', 'run', 'summary_rubric'],
};

const MAGIC = 'SQLite format 3\0';

/**
 * Whether a file is a database at all: a backup, a workspace's file or a foreign one.
 * @param outcome what did not happen, a sentence for messages
 * @throws WaymarkError not_found, and bad_input for what is no regular file
 */
export function isDatabaseFile(path: string, outcome: string): boolean {
  return headOfRegularFile(path, path, MAGIC.length, outcome).toString('latin1') === MAGIC;
}

/**
 * Opens a copy of hints and labels and checks it whole: that it is one, its pages, its chains. Close its connection.
 * @throws WaymarkError not_found, bad_input, workspace_newer, workspace_corrupt
 */
export function openBackup(path: string): Statements {
  if (!isDatabaseFile(path, '"restore" lists the available backups.')) {
    throw notOne(path);
  }
  try {
    const statements = new Statements(openDatabase(path, { readonly: true }));
    try {
      configureReader(statements.db);
      checkForm(statements, path);
      checkWhole(statements, path);
      return statements;
    } catch (thrown) {
      statements.db.close();
      throw thrown;
    }
  } catch (thrown) {
    throw damaged(thrown, path);
  }
}

/** What a copy holds, by numbers. */
export function contentsOf(statements: Statements): BackupContents {
  const count = (sql: string) => statements.get<{ n: number }>(sql)?.n ?? 0;
  return {
    runs: count('SELECT count(*) AS n FROM run'),
    labels: count(
      "SELECT (SELECT count(*) FROM annotation WHERE purged = 0) + (SELECT count(*) FROM kept_annotation WHERE body <> '') AS n",
    ),
    hints: count("SELECT count(*) AS n FROM outbox WHERE json_extract(body, '$.body.op') = 'hint.queued'"),
    people: peopleOf(statements),
  };
}

function peopleOf(statements: Statements): string[] {
  return statements
    .all<{ name: string | null }>(
      `SELECT DISTINCT json_extract(body, '$.author.name') AS name FROM annotation WHERE purged = 0
       UNION SELECT DISTINCT json_extract(body, '$.author.name') FROM kept_annotation WHERE body <> ''`,
    )
    .flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
    .sort();
}

/** The tables are a backup's and nothing else is there: a foreign file may define views and triggers that never end. */
function checkForm(statements: Statements, path: string): void {
  const application = Number(statements.db.pragma('application_id', { simple: true }));
  const version = readVersion(statements.db);
  if (application === WORKSPACE_APPLICATION_ID) {
    throw new WaymarkError(
      'bad_input',
      `${path} is the database of a workspace, not a backup. Name a file of a backups folder.`,
    );
  }
  if (application === BACKUP_APPLICATION_ID && version > BACKUP_VERSION && isVersion(version)) {
    throw new WaymarkError('workspace_newer', `${path} was made by a newer Waymark. Update this one first.`);
  }
  const expected = application === BACKUP_APPLICATION_ID || version === 0 ? TABLES[version] : undefined;
  const things = statements.all<{ type: string; name: string; sql: string | null }>(
    'SELECT type, name, sql FROM sqlite_schema ORDER BY name',
  );
  const tables = things.filter(({ type, sql }) => type === 'table' && /^CREATE TABLE /.test(sql ?? ''));
  const others = things.filter(({ name }) => !name.startsWith('sqlite_autoindex_'));
  if (
    expected === undefined ||
    others.length !== tables.length ||
    tables.map(({ name }) => name).join() !== expected.join()
  ) {
    throw notOne(path);
  }
}

/** A correction of a megabyte, escaped, is the longest entry there is. */
const LONGEST = 16 * 1024 * 1024;

/** Looked at before any of them is read: a row may hold a gigabyte. */
function checkLengths(statements: Statements, path: string): void {
  for (const table of ['annotation', 'kept_annotation', 'outbox']) {
    const long = statements.get(`SELECT 1 FROM ${table} WHERE octet_length(body) > ${LONGEST} LIMIT 1`);
    if (long !== undefined) throw corrupt(path, `table ${table} has an entry of more than 16 MB`);
  }
}

function checkWhole(statements: Statements, path: string): void {
  checkLengths(statements, path);
  const sound = statements.db.pragma('integrity_check(1)', { simple: true });
  if (sound !== 'ok') {
    throw corrupt(path, String(sound));
  }
  const problem = [...checkOutbox(statements), ...checkAnnotations(statements)][0];
  if (problem !== undefined) {
    throw corrupt(path, `${problem.where}: ${problem.message}`);
  }
  for (const { body, device, deviceSeq } of storedEntries(statements)) {
    if (body !== '' && parseEntry(body) === null) {
      throw corrupt(path, `entry ${deviceSeq} of device ${device} has an unknown form`);
    }
  }
}

/** What an entry holds nests to six levels; the arguments of a correction are a text. */
const MOST_LEVELS = 200;

/** An annotation entry as stored, null when it is of a kind or form that this application does not know. */
export function parseEntry(body: string): AnnotationEntry | null {
  if (nestsDeeper(body, MOST_LEVELS)) return null;
  try {
    return annotationEntrySchema.safeParse(JSON.parse(body)).data ?? null;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) {
      return null;
    }
    throw thrown;
  }
}

function notOne(path: string): WaymarkError {
  return new WaymarkError(
    'bad_input',
    `${path} is not a backup of Waymark. Name a file of a workspace's backups folder.`,
  );
}

function corrupt(path: string, detail: string): WaymarkError {
  return new WaymarkError(
    'workspace_corrupt',
    `The backup ${path} is damaged. Choose an older one; "restore" lists them.`,
    detail,
  );
}

/** A foreign file may hold anything where JSON or a column is expected: then it is damaged, not our bug. */
function damaged(thrown: unknown, path: string): unknown {
  const failure = storeFailure(thrown, `the backup ${path}`);
  const known = failure instanceof WaymarkError && failure.code !== 'workspace_corrupt';
  if (known || thrown instanceof WaymarkError) {
    return failure;
  }
  const ours =
    failure instanceof WaymarkError || thrown instanceof SyntaxError || thrown instanceof TypeError;
  return ours || isSqlite(thrown) ? corrupt(path, thrown instanceof Error ? thrown.message : '') : thrown;
}

function isSqlite(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'SqliteError';
}
