import { stat } from 'node:fs/promises';
import { WaymarkError } from '@shared/contract/errors';
import type { VerifyProblem } from '@shared/contract/views';
import { packageFolder } from '../../files/workspace-paths';
import { hashPackage, listPackage } from '../../task/package-files';
import { decodeBlob } from '../file/blob-store';
import { systemCode } from '../file/database';
import type { Statements } from '../file/rows';
import { unusedFiles } from '../file/unused-files';
import { rowSum, sha256 } from '../log/hashing';
import { ANSWER_COLUMNS, BATCH_COLUMNS, STOP_COLUMNS } from '../log/judge-batches';
import { RUBRIC_COLUMNS } from '../log/rubric-settings';
import { TRIAL_COLUMNS } from '../log/trial-verdicts';
import { findingOf, type VerifyContext } from './verify-context';

/** Files that nothing uses and that are worth naming. */
const ENOUGH = 20;

type Column = string | number | null | Buffer;

/** Tables whose rows carry a checksum over the columns named here. */
const SUMMED: readonly [string, string][] = [
  ['meta', 'key, value'],
  ['task', 'id, title, domain, hash, folder, spec, added_at'],
  ['tombstone', 'run, mode, at, author, counts, head, done, content'],
  ['rule_setting', 'task, body, at, author'],
  ['session_log WHERE epoch IS NULL', 'run, uid, end_offset, last_at'],
  ['session_log WHERE epoch IS NOT NULL', 'run, uid, end_offset, last_at, file, epoch'],
  ['session_chunk', 'log, offset, length, received_at, host_at, sha'],
  ['restore_loss', 'run, uid, from_byte, to_byte, stored, at'],
  ['judge_batch', BATCH_COLUMNS],
  ['judge_answer', ANSWER_COLUMNS],
  ['judge_stop', STOP_COLUMNS],
  ['judge_trial', TRIAL_COLUMNS],
  ['rubric_setting', RUBRIC_COLUMNS],
  ['summary_rubric', RUBRIC_COLUMNS],
];

/** Rows that neither a chain nor an event explains. */
export function checkSums(statements: Statements): VerifyProblem[] {
  const problems: VerifyProblem[] = [];
  for (const [table, columns] of SUMMED) {
    for (const row of statements.prepare(`SELECT ${columns}, sum FROM ${table}`).raw().iterate()) {
      const values = row as Column[];
      const sum = values.pop();
      if (!(sum instanceof Buffer) || !rowSum(...values).equals(sum)) {
        const where = `${table.replace(/ .*/, '')} ${String(values[0])}`;
        problems.push({ what: 'row', where, message: 'This row was changed after it was stored.' });
      }
    }
  }
  if (statements.get("SELECT 1 FROM meta WHERE key = 'workspace'") === undefined) {
    problems.push({
      what: 'row',
      where: 'meta workspace',
      message: 'The identity of the workspace is missing.',
    });
  }
  return problems;
}

/** Every stored text still has the content that its hash names, and some run uses it. */
export async function checkBlobs(context: VerifyContext): Promise<VerifyProblem[]> {
  const { statements } = context;
  const problems: VerifyProblem[] = [];
  const page = statements.prepare(
    'SELECT id, sha, size, encoding, data FROM blob WHERE id > ? ORDER BY id LIMIT 200',
  );
  for (let last = -1; ; ) {
    const rows = page.all(last) as {
      id: number;
      sha: Buffer;
      size: number;
      encoding: number;
      data: Buffer | null;
    }[];
    for (const row of rows) {
      if (row.id <= last) {
        // As in a run's events: a damaged index can lead back to rows that were read already.
        problems.push({
          what: 'text',
          where: `row ${row.id} of the texts`,
          message: 'The table is out of order.',
        });
        return problems;
      }
      const hex = row.sha.toString('hex');
      const finding = blobProblem(context, row, hex);
      if (finding !== null) {
        problems.push({ what: 'text', where: whereOf(statements, row.id, hex), ...finding });
      }
      last = row.id;
    }
    if (rows.length === 0) {
      break;
    }
    await context.breathe();
  }
  const stray = statements.all<{ id: number }>(
    `SELECT id FROM blob WHERE run NOT IN (SELECT run FROM run_head)
     UNION ALL SELECT blob FROM blob_share WHERE run NOT IN (SELECT run FROM run_head)
     UNION ALL SELECT blob FROM blob_share WHERE blob NOT IN (SELECT id FROM blob) LIMIT 20`,
  );
  return [
    ...problems,
    ...stray.map(({ id }) => ({ what: 'text', where: `text ${id}`, message: 'No run uses this text.' })),
  ];
}

/** Packages of tasks: a run of one cannot begin without it. Each folder bears the hash of what it holds. */
export async function checkPackages({ statements, folder }: VerifyContext): Promise<VerifyProblem[]> {
  const problems: VerifyProblem[] = [];
  for (const { id, hash } of statements.all<{ id: string; hash: string }>('SELECT id, hash FROM task')) {
    const found = await packageFault(packageFolder(folder, hash), hash);
    if (found === null) continue;
    const next = 'Its runs cannot be started or resumed: add the same package again.';
    problems.push({ what: 'task_package', where: `task ${id}`, message: `${found} ${next}` });
  }
  return problems;
}

async function packageFault(path: string, hash: string): Promise<string | null> {
  const found = await stat(path).catch((thrown: unknown) => {
    if (systemCode(thrown) === 'ENOENT') return null;
    throw thrown;
  });
  if (found?.isDirectory() !== true) return `Its files, tasks/${hash}, are missing.`;
  const { entries } = await listPackage(path);
  return (await hashPackage(path, entries)) === hash ? null : `Its files, tasks/${hash}, were changed.`;
}

/** Files that no row names: a process was killed before it stored, or after it removed, what they belong to. */
export async function checkLeftOver({ statements, folder }: VerifyContext): Promise<VerifyProblem[]> {
  const problems: VerifyProblem[] = [];
  for await (const { name } of unusedFiles(statements, folder)) {
    problems.push({
      what: 'left_over',
      where: name,
      message: 'Nothing uses this file. Run "clean" to delete it.',
    });
    if (problems.length === ENOUGH) {
      break;
    }
  }
  return problems;
}

function blobProblem(
  { folder }: VerifyContext,
  row: { size: number; encoding: number; data: Buffer | null },
  hex: string,
): Pick<VerifyProblem, 'message' | 'detail'> | null {
  try {
    const bytes = decodeBlob(row, hex, folder);
    const sound = bytes.length === row.size && sha256(bytes).toString('hex') === hex;
    return sound ? null : { message: 'The text is not what its hash says.' };
  } catch (thrown) {
    return thrown instanceof WaymarkError
      ? findingOf(thrown)
      : { message: 'The text cannot be read.', detail: String(thrown) };
  }
}

/** A text by the beginning of its hash, and the runs that use it: a full check says which steps. */
function whereOf(statements: Statements, id: number, hex: string): string {
  const runs = statements.all<{ ulid: string }>(
    `SELECT ulid FROM run WHERE id IN (SELECT run FROM blob WHERE id = ? UNION ALL SELECT run FROM blob_share WHERE blob = ?)
     ORDER BY id LIMIT 4`,
    ...[id, id],
  );
  const named = runs.slice(0, 3).map(({ ulid }) => ulid);
  const text = `text ${hex.slice(0, 12)}`;
  if (named.length === 0) return text;
  return `${text} of run ${named.join(', ')}${runs.length > named.length ? ' and others' : ''}`;
}
