import { WaymarkError } from '@shared/contract/errors';
import type { Author } from '@shared/log/annotations';
import { remove } from '../../files/remove';
import { parsedRun, runLockPath } from '../../files/workspace-paths';
import { BlobStore } from '../file/blob-store';
import { redactBody } from '../file/redact';
import { LAST_SEQ, rowId, type Statements, seqOf } from '../file/rows';
import { textReferences } from '../file/stored-json';
import { TextRelease } from '../file/text-release';
import { UnusedFiles } from '../file/unused-files';
import { decodeEvent, EVENT_COLUMNS, type EventRow, eventHash } from '../log/event-codec';
import type { GroupCommit } from '../log/group-commit';
import { CHAIN_START, rowSum } from '../log/hashing';
import { deleteLock, type HeldLock, holdLock } from '../log/run-lock';
import type { OpenRun, RunLog } from '../log/run-log';
import { unreadableRun } from '../log/unreadable-run';
import type { StoreNotice } from '../notices';
import { emptyProjections } from '../projections/empty-projections';
import type { RunProjection } from '../projections/run-projection';

const BATCH = 500;

interface Tombstone {
  run: number;
  ulid: string;
  mode: 'run' | 'text';
}

/**
 * Removes a run or its texts: first a committed tombstone with counts and hashes, then the rows in small
 * transactions. What a dying process leaves half done is finished at the next start.
 */
export class RunRemoval {
  readonly files: UnusedFiles;
  private readonly blobs: BlobStore;
  private readonly texts: TextRelease;
  private stopped = false;

  constructor(
    private readonly statements: Statements,
    private readonly log: RunLog,
    private readonly projection: RunProjection,
    private readonly group: Pick<GroupCommit, 'add'>,
    /** `makeRoom`: gives the ballast back, as the disk is full. */
    private readonly options: {
      folder: string;
      now: () => number;
      notify(notice: StoreNotice): void;
      makeRoom(): void;
    },
  ) {
    this.blobs = new BlobStore(statements, options.folder);
    this.texts = new TextRelease(statements, group, options.folder);
    this.files = new UnusedFiles(statements, group, options.folder);
  }

  /** @throws WaymarkError `refused` while the run is driven, or being removed by another process */
  async remove(open: OpenRun, mode: 'run' | 'text', author: Author): Promise<void> {
    const removed = await this.locked(open.ulid, open.epoch, async () => {
      if (
        this.statements.get('SELECT 1 FROM tombstone WHERE run = ? AND mode = ?', open.id, mode) === undefined
      ) {
        if (mode === 'text') await this.readable(open);
        await this.group.add({ run: () => this.writeTombstone(open, mode, author) });
      }
      await this.carryOut({ run: open.id, ulid: open.ulid, mode });
      return mode === 'run';
    });
    if (!removed) {
      throw new WaymarkError('refused', `Run ${open.ulid} is being driven. Stop it before removing it.`);
    }
  }

  async resume(): Promise<void> {
    const pending = this.statements.all<Tombstone>(
      'SELECT t.run, r.ulid, t.mode FROM tombstone t JOIN run r ON r.id = t.run WHERE t.done = 0',
    );
    for (const tombstone of pending) {
      try {
        // Held: another process is finishing it.
        await this.locked(tombstone.ulid, 0, async () => {
          await this.carryOut(tombstone);
          return tombstone.mode === 'run';
        });
      } catch (thrown) {
        // A row that names no run, or a link where its files should be: the others are finished, and this one waits.
        const notice = unreadableRun(tombstone.ulid, thrown);
        if (notice === null) throw thrown;
        this.options.notify(notice);
      }
    }
    // What a killed process wrote or was about to delete: a removal must not leave the texts themselves.
    await this.files.sweep(pending.length > 0 ? 'listed' : 'left', () => this.stopped);
  }

  /** Nothing new is begun. */
  stop(): void {
    this.stopped = true;
  }

  /**
   * Does the work while nobody else drives the run or removes it; false when somebody does. `work` says whether the run,
   * and with it the lock's file, is gone.
   */
  private async locked(run: string, epoch: number, work: () => Promise<boolean>): Promise<boolean> {
    const path = runLockPath(this.options.folder, run);
    const lock = this.lockMakingRoom(path, epoch);
    if (lock === null) {
      return false;
    }
    let gone = false;
    try {
      gone = await work();
    } finally {
      lock.release();
      if (gone) {
        deleteLock(this.options.folder, run);
      }
    }
    return true;
  }

  /** On a full disk even the lock has no room; the ballast is there for what makes room. */
  private lockMakingRoom(path: string, epoch: number): HeldLock | null {
    try {
      return holdLock(path, epoch);
    } catch (thrown) {
      const full = thrown instanceof WaymarkError && thrown.code === 'disk_full';
      if (!full) throw thrown;
      this.options.makeRoom();
      return holdLock(path, epoch);
    }
  }

  /** Texts are emptied event by event: a purge that is written down must be able to end. */
  private async readable(open: OpenRun): Promise<void> {
    const { ulid, seq } = open;
    try {
      for (let next = 1; next <= seq; next += BATCH) {
        this.log.read(open, next, seq, BATCH);
        await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (thrown) {
      const notice = unreadableRun(ulid, thrown);
      if (notice === null) throw thrown;
      throw new WaymarkError(
        'refused',
        `The texts of run ${ulid} cannot be purged, as not all of its events can be read. Remove the whole run with "run remove".`,
        notice.message,
      );
    }
  }

  private writeTombstone(open: OpenRun, mode: 'run' | 'text', author: Author): void {
    if (mode === 'text' && open.state.steps > 0) {
      const body = { from: 1, to: open.state.steps, by: author.name };
      const stored = this.log.insert(open, open.epoch, this.log.prepare([{ kind: 'text.purged', body }]));
      this.projection.apply(open.id, open.state, stored, []);
      this.log.writeHead(open);
    }
    const count = (sql: string) => this.statements.get<{ n: number }>(sql, open.id)?.n ?? 0;
    const counts = {
      ulid: open.ulid,
      createdAt: count('SELECT created_at AS n FROM run WHERE id = ?'),
      events: open.seq,
      steps: open.state.steps,
      outbox: count('SELECT count(*) AS n FROM outbox WHERE run = ?'),
      annotations: count('SELECT count(*) AS n FROM annotation WHERE run = ?'),
      texts: count('SELECT count(*) AS n FROM blob WHERE run = ?'),
      sessionBytes: count('SELECT coalesce(sum(end_offset), 0) AS n FROM session_log WHERE run = ?'),
    };
    const at = Math.round(this.options.now());
    const row = [open.id, mode, at, author.name, JSON.stringify(counts), open.hash, 0, null] as const;
    this.statements.run(
      'INSERT INTO tombstone (run, mode, at, author, counts, head, done, content, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...row,
      rowSum(...row),
    );
  }

  private finish(run: number, mode: string, content: Buffer | null): void {
    const row = this.statements.get<{ at: number; author: string; counts: string; head: Buffer }>(
      'SELECT at, author, counts, head FROM tombstone WHERE run = ? AND mode = ?',
      run,
      mode,
    );
    if (row !== undefined) {
      this.statements.run(
        'UPDATE tombstone SET done = 1, content = ?, sum = ? WHERE run = ? AND mode = ?',
        content,
        rowSum(run, mode, row.at, row.author, row.counts, row.head, 1, content),
        run,
        mode,
      );
    }
  }

  private async carryOut({ run, ulid, mode }: Tombstone): Promise<void> {
    const content = mode === 'text' ? await this.emptyTexts(run, ulid) : await this.deleteRun(run, ulid);
    await this.deleteSessions(run, ulid, mode);
    await this.inBatches(
      `DELETE FROM judge_trial WHERE (run, rubric, judge, step) IN
         (SELECT run, rubric, judge, step FROM judge_trial WHERE run = ? LIMIT ${BATCH})`,
      ulid,
    );
    await this.texts.release(run, this.remainingTexts(run));
    await this.group.add({ run: () => this.finish(run, mode, content) });
  }

  /** Returns the hash over the redacted bodies, by which `verify` knows them. */
  private async emptyTexts(run: number, ulid: string): Promise<Buffer> {
    let content = CHAIN_START;
    for (let next = 1; ; ) {
      const rows = this.statements.all<EventRow>(
        `SELECT ${EVENT_COLUMNS} FROM event WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?`,
        rowId(run, next),
        rowId(run, LAST_SEQ),
        BATCH / 5,
      );
      const last = rows.at(-1);
      if (last === undefined) {
        break;
      }
      const redacted = rows.map((row) => ({
        id: row.id,
        body: row.purged === 1 ? row.body : redactBody(decodeEvent(row, ulid, (sha) => this.blobs.read(sha))),
      }));
      await this.group.add({
        run: () => {
          for (const { id, body } of redacted) {
            this.statements.run('UPDATE event SET body = ?, purged = 1 WHERE id = ?', body, id);
          }
        },
      });
      for (const [index, row] of rows.entries()) {
        content = eventHash(content, { ...row, body: redacted[index]?.body ?? '' });
      }
      next = seqOf(last.id) + 1;
    }
    await emptyProjections(this.statements, this.group, run);
    return content;
  }

  private async deleteRun(run: number, ulid: string): Promise<null> {
    const range = [rowId(run, 0), rowId(run, LAST_SEQ)];
    for (const table of ['event', 'step_head', 'note', 'segment', 'query', 'evaluation', 'timing', 'tile']) {
      await this.inBatches(
        `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE id BETWEEN ? AND ? LIMIT ${BATCH})`,
        ...range,
      );
    }
    for (const [table, key, which] of [
      ['rule_mark', 'step, rule', `step BETWEEN ${range.join(' AND ')}`],
      ['file_revision', 'run, computer, path, revision', `run = ${run}`],
      ['mark', 'run, level, block, annotation', `run = ${run}`],
      ['gesture', 'run, annotation', `run = ${run}`],
      ['dwell', 'run, step, author', `run = ${run}`],
      ['look', 'run, author, at', `run = ${run}`],
    ]) {
      await this.inBatches(
        `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${which} LIMIT ${BATCH})`,
      );
    }
    for (const table of ['outbox', 'annotation']) {
      await this.inBatches(
        `UPDATE ${table} SET purged = 1, body = '' WHERE id IN (SELECT id FROM ${table} WHERE run = ? AND body <> '' LIMIT ${BATCH})`,
        run,
      );
    }
    await this.inBatches(
      `UPDATE kept_annotation SET body = '' WHERE ulid IN (SELECT ulid FROM kept_annotation WHERE run = ? AND body <> '' LIMIT ${BATCH})`,
      ulid,
    );
    await this.group.add({
      run: () => {
        for (const table of ['session', 'hint', 'label_work']) {
          this.statements.run(`DELETE FROM ${table} WHERE run = ?`, run);
        }
        this.statements.run('DELETE FROM run_head WHERE run = ?', run);
      },
    });
    return null;
  }

  /** Runs a statement that changes at most `BATCH` rows until it has changed them all. */
  private async inBatches(sql: string, ...parameters: (number | string)[]): Promise<void> {
    for (let changes = BATCH; changes === BATCH; ) {
      changes = await this.group.add({ run: () => this.statements.run(sql, ...parameters).changes });
    }
  }

  private async deleteSessions(run: number, ulid: string, mode: 'run' | 'text'): Promise<void> {
    await this.group.add({
      run: () => {
        for (const table of ['session_chunk', 'session_part']) {
          this.statements.run(
            `DELETE FROM ${table} WHERE log IN (SELECT id FROM session_log WHERE run = ?)`,
            run,
          );
        }
        this.statements.run('DELETE FROM restore_loss WHERE run = ?', run);
        if (mode === 'run') {
          this.statements.run('DELETE FROM session_log WHERE run = ?', run);
        } else {
          this.forgetFiles(run);
        }
      },
    });
    await remove(this.options.folder, ['sessions', parsedRun(ulid)], { kind: 'folder' });
  }

  /** A process that has a file of these sessions open must not write on into what is deleted. */
  private forgetFiles(run: number): void {
    const rows = this.statements.all<{ id: number; uid: string; end: number; at: number; epoch: number }>(
      'SELECT id, uid, end_offset AS end, last_at AS at, coalesce(epoch, 0) AS epoch FROM session_log WHERE run = ?',
      run,
    );
    for (const { id, uid, end, at, epoch } of rows) {
      this.statements.run(
        'UPDATE session_log SET file = NULL, epoch = ?, sum = ? WHERE id = ?',
        ...[epoch, rowSum(run, uid, end, at, null, epoch), id],
      );
    }
  }

  /** Hashes of texts that the run's remaining events refer to. */
  private remainingTexts(run: number): Set<string> {
    const rows = this.statements
      .prepare(`SELECT body FROM event WHERE id BETWEEN ? AND ? AND instr(body, '"$text"') > 0`)
      .iterate(rowId(run, 0), rowId(run, LAST_SEQ)) as IterableIterator<{ body: string }>;
    const texts = new Set<string>();
    for (const { body } of rows) {
      for (const sha of textReferences(JSON.parse(body))) {
        texts.add(sha);
      }
    }
    return texts;
  }
}
