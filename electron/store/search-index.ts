import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '@shared/events';
import type { SearchPage } from '@shared/views';
import { configureReader, type Db, openDatabase, systemCode } from './database';
import { LAST_SEQ, rowId, seqOf } from './ids';
import { bounded, findRun, type ReadContext, type RunRecord, readEvents, stepSpan } from './read-context';
import { Statements } from './rows';
import { matchExpression, parseQuery } from './search-query';
import { type StepTexts, snippetOf } from './search-snippet';
import { searchTexts } from './search-texts';
import { splitCjk } from './search-tokens';

/** Raised when texts or tokenizer change: an index of another version is filled anew. */
const INDEX_VERSION = 1;
/** Events per transaction of the index. */
const BATCH = 400;
const MAX_HITS = 200;
const MAX_STEP_EVENTS = 2000;

const SCHEMA = `
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE cursor (run INTEGER PRIMARY KEY, seq INTEGER NOT NULL, step INTEGER NOT NULL) STRICT;
CREATE TABLE buried (run INTEGER NOT NULL, mode TEXT NOT NULL, PRIMARY KEY (run, mode)) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE step USING fts5 (thought, args, obs, hint, content = '', contentless_delete = 1,
  tokenize = 'unicode61 remove_diacritics 2');`;

/**
 * The search index: a file of its own that can be deleted at any time. Steps are its rows; it is filled from
 * the run log by the process that holds the indexer lock, `cursor` in the same transaction as the rows.
 */
export class SearchIndex {
  private db: Db;
  private statements: Statements;

  constructor(
    private readonly context: ReadContext,
    private readonly workspace: string,
  ) {
    this.db = openIndex(context.folder);
    this.statements = new Statements(this.db);
  }

  /** By the holder of the indexer lock, once: makes the tables, and makes them anew when they are of another version or workspace. */
  prepare(): void {
    const about = `${INDEX_VERSION} ${this.workspace}`;
    if (this.readAbout() === about) {
      return;
    }
    this.db.exec('BEGIN IMMEDIATE');
    for (const table of ['about', 'cursor', 'buried', 'step']) {
      this.db.exec(`DROP TABLE IF EXISTS ${table}`);
    }
    this.db.exec(SCHEMA);
    this.db.prepare("INSERT INTO about (key, value) VALUES ('index', ?)").run(about);
    this.db.exec('COMMIT');
  }

  /** Indexes the next few hundred events; false when nothing was left to do. */
  fillSome(): boolean {
    try {
      return this.bury() || this.fillNext();
    } catch (thrown) {
      if (!isDamaged(thrown)) {
        throw thrown;
      }
      this.startOver();
      return true;
    }
  }

  search(ulid: string, query: string, from: number, direction: 1 | -1, limit: number): SearchPage {
    const run = findRun(this.context, ulid);
    const terms = parseQuery(query);
    const reached = this.isReady()
      ? this.statements.get<{ step: number }>('SELECT step FROM cursor WHERE run = ?', run.id)?.step
      : undefined;
    const behind = run.state.steps - Math.min(reached ?? 0, run.state.steps);
    if (terms.length === 0 || reached === undefined) {
      return { hits: [], total: 0, behind };
    }
    const match = matchExpression(terms);
    const total = this.statements.get<{ n: number }>(
      'SELECT count(*) AS n FROM step WHERE step MATCH ? AND rowid BETWEEN ? AND ?',
      match,
      rowId(run.id, 0),
      rowId(run.id, LAST_SEQ),
    );
    const start = rowId(run.id, bounded(from, 0, LAST_SEQ, 'The first step'));
    const [low, high] = direction === 1 ? [start, rowId(run.id, LAST_SEQ)] : [rowId(run.id, 0), start];
    const rows = this.statements.all<{ id: number }>(
      `SELECT rowid AS id FROM step WHERE step MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid ${direction === 1 ? 'ASC' : 'DESC'} LIMIT ?`,
      match,
      low,
      high,
      bounded(limit, 0, MAX_HITS, 'The limit'),
    );
    const steps = rows.map(({ id }) => seqOf(id)).sort((a, b) => a - b);
    const hits = steps.flatMap((step) => {
      const texts = this.textsOf(run, step);
      return texts === undefined ? [] : [{ step, ...snippetOf(texts, terms) }];
    });
    return { hits, total: total?.n ?? 0, behind };
  }

  close(): void {
    this.db.close();
  }

  /** Whether everything that was committed is indexed. */
  isComplete(): boolean {
    return this.isReady() && this.nextBehind() === undefined;
  }

  private fillNext(): boolean {
    const behind = this.nextBehind();
    if (behind === undefined) {
      return false;
    }
    const run = findRun(this.context, behind);
    const cursor = this.statements.get<{ seq: number; step: number }>(
      'SELECT seq, step FROM cursor WHERE run = ?',
      run.id,
    );
    const events = readEvents(this.context, run, (cursor?.seq ?? 0) + 1, run.seq, BATCH, false);
    const docs = [...bySteps(events)].flatMap(([step, known]) => {
      const texts = this.textsOf(run, step, known);
      return texts === undefined ? [] : [{ step, texts }];
    });
    const seq = events.at(-1)?.seq ?? run.seq;
    const last = docs.reduce((most, { step }) => Math.max(most, step), cursor?.step ?? 0);
    this.transaction(() => {
      for (const { step, texts } of docs) {
        this.statements.run(
          'INSERT OR REPLACE INTO step (rowid, thought, args, obs, hint) VALUES (?, ?, ?, ?, ?)',
          rowId(run.id, step),
          splitCjk(texts.thought),
          splitCjk(texts.arguments),
          splitCjk(texts.observation),
          splitCjk(texts.hint),
        );
      }
      this.statements.run(
        'INSERT OR REPLACE INTO cursor (run, seq, step) VALUES (?, ?, ?)',
        run.id,
        seq,
        last,
      );
    });
    return true;
  }

  /** Takes removed runs and removed texts out of the index. */
  private bury(): boolean {
    const graves = this.context.statements.all<{ run: number; mode: string }>(
      'SELECT run, mode FROM tombstone WHERE done = 1',
    );
    const next = graves.find(
      ({ run, mode }) =>
        this.statements.get('SELECT 1 FROM buried WHERE run = ? AND mode = ?', run, mode) === undefined,
    );
    if (next === undefined) {
      return false;
    }
    this.transaction(() => {
      this.statements.run(
        'DELETE FROM step WHERE rowid BETWEEN ? AND ?',
        rowId(next.run, 0),
        rowId(next.run, LAST_SEQ),
      );
      // What the purge left is indexed again from the first event.
      this.statements.run('DELETE FROM cursor WHERE run = ?', next.run);
      this.statements.run('INSERT INTO buried (run, mode) VALUES (?, ?)', next.run, next.mode);
    });
    return true;
  }

  /** ULID of the newest run with events that are not indexed. */
  private nextBehind(): string | undefined {
    const cursors = new Map(
      this.statements
        .all<{ run: number; seq: number }>('SELECT run, seq FROM cursor')
        .map(({ run, seq }) => [run, seq]),
    );
    return this.context.statements
      .all<{ id: number; ulid: string; seq: number }>(
        'SELECT r.id, r.ulid, h.seq FROM run_head h JOIN run r ON r.id = h.run ORDER BY r.id DESC',
      )
      .find(({ id, seq }) => (cursors.get(id) ?? 0) < seq)?.ulid;
  }

  /** `known`: events of the step that are read already; the rest is fetched only when they are not all. */
  private textsOf(run: RunRecord, step: number, known: readonly RunEvent[] = []): StepTexts | undefined {
    const span = stepSpan(this.context, run, step);
    if (span === undefined) {
      return undefined;
    }
    const whole = known[0]?.seq === span.seq0 && (known.at(-1)?.seq ?? 0) >= span.seq1;
    const events = whole
      ? known
      : readEvents(this.context, run, span.seq0, span.seq1, MAX_STEP_EVENTS, false);
    return searchTexts(events, step);
  }

  private transaction(work: () => void): void {
    this.db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.db.exec('COMMIT');
    } catch (thrown) {
      if (this.db.inTransaction) {
        this.db.exec('ROLLBACK');
      }
      throw thrown;
    }
  }

  private isReady(): boolean {
    return this.readAbout() === `${INDEX_VERSION} ${this.workspace}`;
  }

  private readAbout(): string | undefined {
    const known = this.db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'about'").get();
    if (known === undefined) {
      return undefined;
    }
    const row = this.db.prepare("SELECT value FROM about WHERE key = 'index'").get() as
      | { value: string }
      | undefined;
    return row?.value;
  }

  /** The index is only a copy: a damaged one is thrown away. */
  private startOver(): void {
    this.db.close();
    deleteIndex(this.context.folder);
    this.db = openIndex(this.context.folder);
    this.statements = new Statements(this.db);
    this.prepare();
  }
}

export function indexFile(folder: string): string {
  return join(folder, 'search.db');
}

function openIndex(folder: string): Db {
  try {
    return configureIndex(openDatabase(indexFile(folder)));
  } catch (thrown) {
    if (!isDamaged(thrown)) {
      throw thrown;
    }
    deleteIndex(folder);
    return configureIndex(openDatabase(indexFile(folder)));
  }
}

function configureIndex(db: Db): Db {
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('wal_autocheckpoint = 4000');
    configureReader(db);
    db.pragma('query_only = OFF');
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

function deleteIndex(folder: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    rmSync(indexFile(folder) + suffix, { force: true });
  }
}

function isDamaged(thrown: unknown): boolean {
  const code = systemCode(thrown);
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';
}

function bySteps(events: readonly RunEvent[]): Map<number, RunEvent[]> {
  const steps = new Map<number, RunEvent[]>();
  for (const event of events) {
    if ('step' in event.body && typeof event.body.step === 'number') {
      const list = steps.get(event.body.step) ?? [];
      list.push(event);
      steps.set(event.body.step, list);
    }
  }
  return steps;
}
