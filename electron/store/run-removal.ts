import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Author } from '@shared/annotations';
import { WaymarkError } from '@shared/errors';
import { BlobStore } from './blob-store';
import { decodeEvent, EVENT_COLUMNS, type EventRow, eventHash } from './event-codec';
import type { GroupCommit } from './group-commit';
import { CHAIN_START, rowSum } from './hashing';
import { LAST_SEQ, rowId, seqOf } from './ids';
import { redactBody, redactState } from './redact';
import type { Statements } from './rows';
import { deleteLock, isLockHeld, runLockPath } from './run-lock';
import type { OpenRun, RunLog } from './run-log';
import type { RunProjection } from './run-projection';
import { textReferences } from './stored-json';
import { TextRelease } from './text-release';

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
  private readonly blobs: BlobStore;
  private readonly texts: TextRelease;

  constructor(
    private readonly statements: Statements,
    private readonly log: RunLog,
    private readonly projection: RunProjection,
    private readonly group: GroupCommit,
    private readonly options: { folder: string; now: () => number },
  ) {
    this.blobs = new BlobStore(statements, options.folder);
    this.texts = new TextRelease(statements, group, options.folder);
  }

  async remove(open: OpenRun, mode: 'run' | 'text', author: Author): Promise<void> {
    if (isLockHeld(runLockPath(this.options.folder, open.ulid))) {
      throw new WaymarkError('refused', `Run ${open.ulid} is being driven. Stop it before removing it.`);
    }
    if (
      this.statements.get('SELECT 1 FROM tombstone WHERE run = ? AND mode = ?', open.id, mode) === undefined
    ) {
      await this.group.add({ run: () => this.writeTombstone(open, mode, author) });
    }
    await this.carryOut({ run: open.id, ulid: open.ulid, mode });
  }

  async resume(): Promise<void> {
    const pending = this.statements.all<Tombstone>(
      'SELECT t.run, r.ulid, t.mode FROM tombstone t JOIN run r ON r.id = t.run WHERE t.done = 0',
    );
    for (const tombstone of pending) {
      await this.carryOut(tombstone);
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
    await this.group.add({ run: () => this.emptyProjections(run) });
    return content;
  }

  /** What a rebuild from the redacted events gives, without folding them all again. */
  private emptyProjections(run: number): void {
    const range = [rowId(run, 0), rowId(run, LAST_SEQ)];
    this.statements.run(
      "UPDATE step_head SET title = '', observation = '', bytes = 0 WHERE id BETWEEN ? AND ?",
      ...range,
    );
    this.statements.run("UPDATE query SET query = '', place = '' WHERE id BETWEEN ? AND ?", ...range);
    this.statements.run(
      `UPDATE note SET body = json_set(body, '$.message', '') WHERE id BETWEEN ? AND ? AND json_extract(body, '$.message') IS NOT NULL`,
      ...range,
    );
    this.statements.run(
      `UPDATE timing SET body = json_set(body, '$.message', '') WHERE id BETWEEN ? AND ? AND json_extract(body, '$.message') IS NOT NULL`,
      ...range,
    );
    this.statements.run(
      `UPDATE note SET body = json_set(body, '$.note', '') WHERE id BETWEEN ? AND ? AND json_extract(body, '$.kind') = 'checkpoint'`,
      ...range,
    );
    this.statements.run(
      `UPDATE timing SET body = json_set(body, '$.added',
         json((SELECT json_group_array(json_object('id', value ->> 'id', 'text', '')) FROM json_each(timing.body, '$.added'))))
       WHERE id BETWEEN ? AND ? AND kind = 'branch.began'`,
      ...range,
    );
    this.statements.run(
      `UPDATE note SET body = json_set(body, '$.hints',
         json((SELECT json_group_array(json_object('id', value ->> 'id', 'text', '')) FROM json_each(note.body, '$.hints'))))
       WHERE id BETWEEN ? AND ? AND json_extract(body, '$.kind') = 'hint'`,
      ...range,
    );
    this.statements.run(
      `UPDATE note SET body = json_set(body, '$.missing',
         json((SELECT json_group_array(json_object('kind', value ->> 'kind', 'text', '')) FROM json_each(note.body, '$.missing'))))
       WHERE id BETWEEN ? AND ? AND json_extract(body, '$.kind') = 'summary'`,
      ...range,
    );
    this.statements.run('UPDATE session SET command = NULL WHERE run = ?', run);
    this.statements.run("UPDATE hint SET text = '' WHERE run = ?", run);
    this.statements.run(
      `UPDATE outbox SET purged = 1, body = json_replace(body, '$.body.text', '', '$.body.note', '') WHERE run = ?`,
      run,
    );
    const row = this.statements.get<{ state: string }>('SELECT state FROM run_head WHERE run = ?', run);
    if (row !== undefined) {
      const state = JSON.stringify(redactState(JSON.parse(row.state)));
      this.statements.run('UPDATE run_head SET state = ? WHERE run = ?', state, run);
    }
  }

  private async deleteRun(run: number, ulid: string): Promise<null> {
    const range = [rowId(run, 0), rowId(run, LAST_SEQ)];
    await this.deleteInBatches('event', 'id', range);
    for (const table of ['step_head', 'note', 'segment', 'query', 'evaluation', 'timing', 'tile']) {
      await this.deleteInBatches(table, 'id', range);
    }
    await this.group.add({
      run: () => {
        this.statements.run('DELETE FROM rule_mark WHERE step BETWEEN ? AND ?', ...range);
        for (const table of ['file_revision', 'session', 'hint', 'mark', 'label_work', 'dwell']) {
          this.statements.run(`DELETE FROM ${table} WHERE run = ?`, run);
        }
        this.statements.run("UPDATE outbox SET purged = 1, body = '' WHERE run = ?", run);
        this.statements.run("UPDATE annotation SET purged = 1, body = '' WHERE run = ?", run);
        this.statements.run("UPDATE kept_annotation SET body = '' WHERE run = ?", ulid);
        this.statements.run('DELETE FROM run_head WHERE run = ?', run);
      },
    });
    deleteLock(runLockPath(this.options.folder, ulid));
    return null;
  }

  private async deleteInBatches(table: string, key: string, range: number[]): Promise<void> {
    const sql = `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${key} BETWEEN ? AND ? LIMIT ${BATCH})`;
    for (let changes = BATCH; changes === BATCH; ) {
      changes = await this.group.add({ run: () => this.statements.run(sql, ...range).changes });
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
        if (mode === 'run') {
          this.statements.run('DELETE FROM session_log WHERE run = ?', run);
        }
      },
    });
    rmSync(join(this.options.folder, 'sessions', ulid), { recursive: true, force: true });
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
