import { WaymarkError } from '@shared/contract/errors';
import { isId } from '@shared/contract/id';
import type { VerifyProblem, VerifyReport } from '@shared/contract/views';
import { shownId } from '../../files/workspace-paths';
import { BlobStore } from '../file/blob-store';
import { storeFailure } from '../file/database';
import { Statements } from '../file/rows';
import { openForReading } from '../file/workspace-file';
import { checkEnds } from '../log/annotation-ends';
import { setAside } from '../log/unreadable-run';
import type { StepProjector } from '../projections/step-projector';
import { checkNewestBackup } from './verify-backup';
import { findingOf, type VerifyContext, type VerifyDepth } from './verify-context';
import { checkAnnotations, checkOutbox } from './verify-entries';
import { checkPages, checkSchema } from './verify-pages';
import { checkBlobs, checkLeftOver, checkPackages, checkSums } from './verify-rows';
import { checkRemoved, checkRun } from './verify-run';

type Check = () => VerifyProblem[] | Promise<VerifyProblem[]>;

/**
 * Checks a workspace against itself: pages, chains, texts by their hashes, session bytes; and, unless only the logs are
 * asked for, every projection against a rebuild and every prompt against its recorded hash. Damage is named, never thrown.
 * `runs` limits the check of run logs to those ULIDs; what belongs to the whole workspace is always checked.
 */
export async function verifyWorkspace(
  folder: string,
  projector: StepProjector,
  runs?: readonly string[],
  depth: VerifyDepth = 'all',
): Promise<VerifyReport> {
  const workspace: VerifyProblem[] = [];
  const reports: VerifyReport['runs'] = [];
  try {
    const statements = new Statements(openForReading(folder));
    try {
      const context: VerifyContext = {
        folder,
        statements,
        blobs: new BlobStore(statements, folder),
        projector,
        depth,
        breathe: () => new Promise((resolve) => setImmediate(resolve)),
      };
      workspace.push(...(await checkWorkspace(context)));
      reports.push(...(await checkRuns(context, runs, workspace)));
    } finally {
      statements.db.close();
    }
  } catch (thrown) {
    workspace.push(problemOf(thrown, 'workspace.db'));
  }
  const ok = workspace.length === 0 && reports.every(({ problems }) => problems.length === 0);
  return { ok, runs: reports, workspace };
}

async function checkWorkspace(context: VerifyContext): Promise<VerifyProblem[]> {
  const { statements, folder } = context;
  const checks: [string, Check][] = [
    ['pages', () => checkPages(statements.db, context.depth)],
    ['schema', () => checkSchema(statements.db)],
    ['outbox', () => checkOutbox(statements)],
    ['annotations', () => checkAnnotations(statements)],
    ['ends of the annotation log', () => checkEnds(statements)],
    ['backups', () => checkNewestBackup(statements, folder)],
    ['rows', () => checkSums(statements)],
    ['texts', () => checkBlobs(context)],
    ['blobs', () => checkLeftOver(context)],
    ['tasks', () => checkPackages(context)],
  ];
  const problems: VerifyProblem[] = [];
  for (const [where, check] of checks) {
    problems.push(...(await guarded(where, check)));
    await context.breathe();
  }
  return problems;
}

/** Findings of one run that are worth naming. */
const ENOUGH = 100;

interface RunRow {
  id: number;
  ulid: string;
  created_at: number;
  seq: number | null;
  grave: string | null;
}

async function checkRuns(
  context: VerifyContext,
  wanted: readonly string[] | undefined,
  workspace: VerifyProblem[],
): Promise<VerifyReport['runs']> {
  const rows: RunRow[] = [];
  workspace.push(
    ...(await guarded('runs', () => {
      rows.push(...listRuns(context.statements));
      return [];
    })),
  );
  const reports: VerifyReport['runs'] = [];
  for (const { id, ulid, created_at: createdAt, seq, grave } of rows) {
    if (wanted !== undefined && !wanted.includes(ulid)) {
      continue;
    }
    if (!isId(ulid)) {
      const shown = shownId(ulid);
      workspace.push({ what: 'run_id', where: `run ${id}`, message: setAside(shown) });
      continue;
    }
    if (seq === null) {
      const report = { id: ulid, events: 0, problems: checkRemoved(context.statements, id, ulid, createdAt) };
      reports.push({ ...report, ...(grave === null ? {} : { purged: 'run' as const }) });
      continue;
    }
    const found = await guarded(`run ${ulid}`, () => checkRun(context, id, ulid));
    const known = found.filter(({ what }) => what === 'known_loss');
    const problems = found.filter(({ what }) => what !== 'known_loss').slice(0, ENOUGH);
    reports.push({
      id: ulid,
      events: seq,
      problems,
      ...(known.length === 0 ? {} : { known: known.slice(0, ENOUGH) }),
      ...(grave === null ? {} : { purged: 'text' as const }),
    });
  }
  return reports;
}

function listRuns(statements: Statements): RunRow[] {
  return statements.all<RunRow>(
    `SELECT r.id, r.ulid, r.created_at, h.seq, (SELECT min(mode) FROM tombstone t WHERE t.run = r.id) AS grave
     FROM run r LEFT JOIN run_head h ON h.run = r.id ORDER BY r.id`,
  );
}

/** A check that cannot go on has found damage: what stopped it is the problem. */
async function guarded(where: string, check: Check): Promise<VerifyProblem[]> {
  try {
    return await check();
  } catch (thrown) {
    return [problemOf(thrown, where)];
  }
}

const OF_THE_FILE: ReadonlySet<string> = new Set([
  ...['workspace_corrupt', 'workspace_newer', 'workspace_locked'],
  ...['read_only', 'disk_full', 'system_busy'],
]);

function problemOf(thrown: unknown, where: string): VerifyProblem {
  const failure = storeFailure(thrown, where);
  if (thrown instanceof WaymarkError && OF_THE_FILE.has(thrown.code)) {
    return { what: thrown.code, where, ...findingOf(thrown) };
  }
  if (thrown instanceof WaymarkError) {
    // A fold refuses what nobody could have stored: rows that are there twice, or that are not there.
    const detail = `${thrown.code}: ${thrown.message}`;
    return { what: 'unreadable', where, message: 'What is stored here contradicts itself.', detail };
  }
  if (failure instanceof WaymarkError && failure.code !== 'workspace_corrupt') {
    return { what: failure.code, where, message: failure.message, detail: failure.detail };
  }
  // Whatever else stops a check is raised by what it reads.
  const what = failure instanceof WaymarkError ? failure.code : 'unreadable';
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return { what, where, message: 'This cannot be read: the file is damaged here.', detail };
}
