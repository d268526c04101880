import { copyFileSync } from 'node:fs';
import { plainDetail, WaymarkError } from '@shared/contract/errors';
import type { RestoredRun, RestoreReport } from '@shared/contract/ipc/restore';
import { makeFoldersIn } from '../../files/private';
import { blobPath } from '../../files/workspace-paths';
import { BlobStore, isInFile } from '../file/blob-store';
import { storeFailure } from '../file/database';
import { LAST_SEQ, rowId, type Statements } from '../file/rows';
import { rowSum } from '../log/hashing';
import { ANSWER_COLUMNS, BATCH_COLUMNS } from '../log/judge-batches';
import { RUBRIC_COLUMNS } from '../log/rubric-settings';
import { TRIAL_COLUMNS } from '../log/trial-verdicts';
import { rebuildInPlace } from '../projections/projection-upgrade';
import type { StepProjector } from '../projections/step-projector';
import { checkSums } from '../verify/verify-rows';
import { PeopleCopy } from './people-copy';
import { type ReadRun, readRun } from './read-run';
import { type RunRow, runRows, runsWithFiles } from './run-list';
import { type SettledRun, settleSessions } from './session-losses';
import { copyRows, guarded } from './table-copy';

export interface WorkspaceCopyParts {
  target: Statements;
  /** Folder of the target. */
  unfinished: string;
  backup: Statements | null;
  damaged: Statements | null;
  /** Folder of the damaged workspace. */
  from: string | null;
  projector: StepProjector;
  notes: string[];
  remarks: string[];
}

/** Tables of a run whose rows no log explains and that nobody misses when they are gone. */
const OWN_TABLES = ['seen', 'dwell', 'retro_seen', 'look'];

/** Fills an empty workspace's database with what its sources hold, run by run. */
export class WorkspaceCopy {
  private readonly restored: RestoredRun[] = [];
  private readonly people: PeopleCopy;
  private readonly settled: SettledRun[] = [];

  constructor(private readonly parts: WorkspaceCopyParts) {
    this.people = new PeopleCopy(parts, this.restored);
  }

  /** Does the work; what became of each run, in the order of their creation. */
  runs(): RestoredRun[] {
    const { damaged, target, projector, unfinished } = this.parts;
    const whole: RunRow[] = [];
    for (const row of runRows(this.parts)) {
      const run = { id: row.ulid, title: this.titleOf(row), state: 'lost' as const };
      const report: RestoredRun = { ...run, steps: 0, labels: 0, hints: 0, notes: [] };
      this.restored.push(report);
      if (damaged === null) {
        report.notes.push('Its log was in the database that cannot be read; backups hold no logs.');
      } else if (this.inTransaction(() => this.copyRun(damaged, row, report), report)) {
        whole.push(row);
      }
    }
    this.inTransaction(() => this.copyRest());
    this.nameFoundFolders();
    this.inTransaction(() => this.people.copyOutbox(Date.now()));
    this.inTransaction(() => this.people.copyAnnotations());
    const blobs = new BlobStore(target, unfinished);
    for (const { id, ulid } of whole) {
      this.inTransaction(() => rebuildInPlace(target, blobs, projector, id, ulid));
    }
    return this.restored;
  }

  /** To be called once the files are there: says of each run what its terminals lost. */
  settleSessions(at: number): void {
    const { target, unfinished } = this.parts;
    for (const run of this.settled) {
      this.inTransaction(() => {
        const notes = settleSessions(target, unfinished, run, at);
        this.restored.find(({ id }) => id === run.ulid)?.notes.push(...notes);
      });
    }
  }

  summary(): Pick<RestoreReport, 'labels' | 'hints' | 'people'> {
    const { labels, hints, people } = this.people;
    return { labels, hints, people: [...people].sort() };
  }

  /** Runs that came after the backup: where the database is unreadable their files alone tell of them. */
  private nameFoundFolders(): void {
    const { damaged, from } = this.parts;
    if (damaged !== null || from === null) return;
    const known = new Set(this.restored.map(({ id }) => id));
    for (const id of runsWithFiles(from).filter((each) => !known.has(each))) {
      const notes = [
        'No backup names it, and its log was in the database that cannot be read. Its files are in the old folder.',
      ];
      this.restored.push({ id, title: '', state: 'lost', steps: 0, labels: 0, hints: 0, notes });
    }
  }

  /** Damage in a run undoes that run and is named in its report; without one it is a failure. */
  private inTransaction(work: () => unknown, report?: RestoredRun): boolean {
    const { db } = this.parts.target;
    db.exec('BEGIN IMMEDIATE');
    try {
      const done = work() !== false;
      db.exec('COMMIT');
      return done;
    } catch (thrown) {
      if (db.inTransaction) db.exec('ROLLBACK');
      const failure = storeFailure(thrown, 'a table of the workspace');
      const code = failure instanceof WaymarkError ? failure.code : 'workspace_corrupt';
      if (report === undefined || code === 'disk_full' || code === 'workspace_newer') throw thrown;
      // Damage shows itself in every way: as a page, as a value of the wrong kind, as a row that breaks a rule.
      Object.assign(report, { state: 'lost', steps: 0 });
      report.notes.push(`Its log is damaged: ${wordsOf(failure)}`);
      return false;
    }
  }

  /** What a run is called whose log may turn out to be lost. '' when the copy is of the first form and the row is gone. */
  private titleOf({ id }: RunRow): string {
    const { backup, damaged } = this.parts;
    const named = backup?.get("SELECT 1 FROM pragma_table_info('run') WHERE name = 'title'") !== undefined;
    const title = named
      ? backup?.get<{ title: string }>('SELECT title FROM run WHERE id = ?', id)?.title
      : undefined;
    let stored: unknown = title;
    guarded(
      // The log that is read next says what is damaged.
      () => undefined,
      () => {
        const sql = "SELECT json_extract(facts, '$.title') AS title FROM run_head WHERE run = ?";
        stored ??= damaged?.get<{ title: unknown }>(sql, id)?.title;
      },
    );
    return typeof stored === 'string' ? stored : '';
  }

  /** True when the run's log is in the new workspace. @throws WaymarkError what is damaged in it */
  private copyRun(source: Statements, row: RunRow, report: RestoredRun): boolean {
    const { target, from } = this.parts;
    const { id, ulid } = row;
    if (source.get("SELECT 1 FROM tombstone WHERE run = ? AND mode = 'run' AND done = 1", id) !== undefined) {
      target.run('INSERT INTO run (id, ulid, created_at) VALUES (?, ?, ?)', id, ulid, row.created_at);
      copyRows(source, target, 'tombstone', 'run = ?', [id]);
      report.state = 'removed';
      return false;
    }
    const read = readRun(source, new BlobStore(source, from ?? ''), id, ulid);
    target.run('INSERT INTO run (id, ulid, created_at) VALUES (?, ?, ?)', id, read.ulid, read.createdAt);
    Object.assign(report, { id: read.ulid, title: read.title });
    copyRows(source, target, 'tombstone', 'run = ?', [id]);
    copyRows(source, target, 'event', 'id BETWEEN ? AND ?', [rowId(id, 0), rowId(id, LAST_SEQ)]);
    this.copyTexts(source, id, read);
    this.copyHead(source, id, read);
    this.copySessions(source, id, report);
    if (!read.purged) this.settled.push({ id, ulid: read.ulid, seen: read.seen });
    for (const table of OWN_TABLES) {
      // No loss that a person would have to hear of: how long somebody looked, and what they have seen.
      guarded(
        () => undefined,
        () => copyRows(source, target, table, 'run = ?', [id]),
      );
    }
    Object.assign(report, { state: 'log', steps: read.steps });
    report.notes.push(...read.notes);
    return true;
  }

  /** Where terminal bytes lie. Without that list they are lost and named, and the run comes back without them. */
  private copySessions(source: Statements, run: number, { notes }: RestoredRun): void {
    const { target } = this.parts;
    target.db.exec('SAVEPOINT sessions');
    let sound = true;
    const lost = (why: string) => {
      sound = false;
      notes.push(`What its terminals printed is lost: ${why}`);
    };
    guarded(lost, () => {
      for (const table of ['session_log', 'restore_loss', 'session_part', 'session_chunk']) {
        const which =
          table === 'session_log' || table === 'restore_loss'
            ? 'run = ?'
            : 'log IN (SELECT id FROM session_log WHERE run = ?)';
        copyRows(source, target, table, which, [run]);
      }
      const changed = checkSums(target).find(({ where }) => /^(session|restore_loss)/.test(where));
      if (changed !== undefined) lost(changed.message);
    });
    if (!sound) target.db.exec('ROLLBACK TO sessions');
    target.db.exec('RELEASE sessions');
  }

  private copyTexts(source: Statements, run: number, { texts }: ReadRun): void {
    const { target, from, unfinished } = this.parts;
    for (const hex of texts) {
      const sha = Buffer.from(hex, 'hex');
      const known = target.get<{ id: number }>('SELECT id FROM blob WHERE sha = ?', sha);
      if (known !== undefined) {
        target.run('INSERT OR IGNORE INTO blob_share (blob, run) VALUES (?, ?)', known.id, run);
        continue;
      }
      const row = source.get<{ size: number; encoding: number; data: Buffer | null }>(
        'SELECT size, encoding, data FROM blob WHERE sha = ?',
        sha,
      );
      if (row !== undefined && isInFile(row.encoding)) {
        makeFoldersIn(unfinished, 'blobs', hex.slice(0, 2));
        copyFileSync(blobPath(from ?? '', hex), blobPath(unfinished, hex));
      }
      target.run(
        'INSERT INTO blob (sha, size, encoding, run, data) VALUES (?, ?, ?, ?, ?)',
        ...[sha, row?.size, row?.encoding, run, row?.data],
      );
    }
  }

  /** Without facts and state: they are derived. Verdicts of a purged run cannot be and are taken over. */
  private copyHead(source: Statements, id: number, { seq, hash, epoch, purged }: ReadRun): void {
    const { target } = this.parts;
    target.run(
      `INSERT INTO run_head (run, seq, hash, epoch, changed_at, rule_version, rule_seq, facts, state)
       VALUES (?, ?, ?, ?, 0, NULL, 0, '{}', '{}')`,
      ...[id, seq, hash, epoch],
    );
    if (purged) {
      copyRows(source, target, 'rule_mark', 'step BETWEEN ? AND ?', [rowId(id, 0), rowId(id, LAST_SEQ)]);
      const rules = source.get<{ version: string | null; seq: number; precedence: string }>(
        'SELECT rule_version AS version, rule_seq AS seq, precedence FROM run_head WHERE run = ?',
        id,
      );
      target.run(
        'UPDATE run_head SET rule_version = ?, rule_seq = ?, precedence = ? WHERE run = ?',
        ...[rules?.version ?? null, rules?.seq ?? 0, rules?.precedence ?? 'union', id],
      );
    }
  }

  /** Tasks, settings of rules, rubrics, what judges were asked, and under which names this machine wrote here; each row with its sum. */
  private copyRest(): void {
    const { target, damaged, backup, notes } = this.parts;
    const tables: [string, string, string, string][] = [
      ['task', 'id, title, domain, hash, folder, spec, added_at', '1', 'Tasks'],
      ['rule_setting', 'task, body, at, author', '1', 'Rule settings'],
      ['meta', 'key, value', "key LIKE 'device:%'", 'Devices'],
      ['judge_batch', BATCH_COLUMNS, '1', 'Batches of judges'],
      ['judge_answer', ANSWER_COLUMNS, '1', 'Answers of judges'],
      ['judge_trial', TRIAL_COLUMNS, '1', 'Tried verdicts of judges'],
      ['rubric_setting', RUBRIC_COLUMNS, '1', 'Rubrics'],
      ['summary_rubric', RUBRIC_COLUMNS, '1', 'Rubrics for summaries'],
    ];
    for (const source of [damaged, backup]) {
      for (const [table, columns, which, what] of tables) {
        guarded(
          (why) => notes.push(`${what}: ${why}`),
          () => {
            if (source?.get('SELECT 1 FROM sqlite_schema WHERE name = ?', table) === undefined) return;
            const rows = source
              .prepare(`SELECT ${columns}, sum FROM ${table} WHERE ${which}`)
              .raw()
              .iterate();
            for (const row of rows)
              this.insertSummed(target, table, columns, row as (string | number | null)[]);
          },
        );
      }
    }
  }

  private insertSummed(
    target: Statements,
    table: string,
    columns: string,
    row: (string | number | null | Buffer)[],
  ): void {
    const sum = row.at(-1);
    const values = row.slice(0, -1);
    if (sum instanceof Buffer && rowSum(...values).equals(sum)) {
      const places = row.map(() => '?').join();
      target.run(`INSERT OR IGNORE INTO ${table} (${columns}, sum) VALUES (${places})`, ...row);
    }
  }
}

function wordsOf(failure: unknown): string {
  if (failure instanceof WaymarkError) {
    const detail = plainDetail(failure);
    return detail === '' ? failure.message : `${failure.message} (${detail})`;
  }
  return failure instanceof Error ? failure.message : String(failure);
}
