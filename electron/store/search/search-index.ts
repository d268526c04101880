import type { IndexProgress } from '@shared/contract/search/views';
import type { RunEvent } from '@shared/log/events';
import type { Db } from '../file/database';
import { freeBytes } from '../file/disk-guard';
import { LAST_SEQ, rowId, Statements } from '../file/rows';
import { unreadableRun } from '../log/unreadable-run';
import type { StoreNotice } from '../notices';
import {
  parseRun,
  type ReadContext,
  RUN_SELECT,
  type RunRecord,
  type RunRow,
  readEvents,
} from '../queries/read-context';
import {
  deleteIndexFile,
  INDEX_SCHEMA,
  INDEX_TABLES,
  INDEX_VERSION,
  isDamaged,
  openIndex,
  openIndexFile,
} from './search-file';
import { StepTextReader } from './search-step-texts';
import type { StepTexts } from './search-texts';
import { indexedText } from './search-tokens';

/** A new index is not begun with less free room than this, bytes. */
const BEGIN_BYTES = 2 * 1024 * 1024;
/** Events per transaction of the index. */
const BATCH = 400;
/** No further run joins a transaction that has room for fewer events than this, or has so many characters. */
const FEW = 20;
const BATCH_CHARACTERS = 2_000_000;
/** How long one answer to "which runs are behind" is used while there is work anyway, ms. */
const LOOK_MS = 200;
/** After the index has caught up it rests this long unless somebody waits for it: many steps at once cost far less than one by one. */
const REST_MS = 180;

/** What of one run goes into a transaction. */
interface IndexedPart {
  run: number;
  ulid: string;
  events: number;
  characters: number;
  docs: { step: number; texts: StepTexts }[];
  seq: number;
  last: number;
  /** Nothing of the run is left. */
  whole: boolean;
}

/**
 * The search index: a file of its own that can be deleted at any time. Steps are its rows; it is filled from
 * the run log by the process that holds the indexer lock, `cursor` in the same transaction as the rows.
 */
export class SearchIndex {
  private db: Db;
  /** False: the disk had no room for the file. */
  private inFile: boolean;
  private known: Statements;
  readonly texts: StepTextReader;
  /** Runs with events that are not indexed, the newest first, and the state of the workspace they were read from. */
  private behind: { version: string; at: number; runs: string[] } | null = null;

  private readonly unreadable = new Set<string>();
  /** Since when nothing known is left to do; null while it fills. */
  private rests: number | null = null;

  constructor(
    private readonly context: ReadContext,
    private readonly workspace: string,
    /** A run of which something cannot be read: it is left out from there on. */
    private readonly told: (notice: StoreNotice) => void = () => undefined,
  ) {
    this.texts = new StepTextReader(context);
    const { db, inFile } = openIndex(context.folder);
    this.db = db;
    this.inFile = inFile;
    this.known = new Statements(db);
  }

  get statements(): Statements {
    return this.known;
  }

  /**
   * Whether there is a file to fill. On a full disk none is begun: it would take what removing a run needs, or has just freed.
   */
  hasPlace(): boolean {
    if (this.isReady()) return true;
    if (freeBytes(this.context.folder) < BEGIN_BYTES) return false;
    if (!this.inFile) {
      const file = openIndexFile(this.context.folder);
      this.db.close();
      this.use(file);
    }
    return true;
  }

  /** By the holder of the indexer lock: makes the tables, and makes them anew when they are of another version or workspace. */
  prepare(): void {
    const about = `${INDEX_VERSION} ${this.workspace}`;
    if (this.readAbout() === about) {
      return;
    }
    this.db.exec('BEGIN IMMEDIATE');
    for (const table of INDEX_TABLES) {
      this.db.exec(`DROP TABLE IF EXISTS ${table}`);
    }
    this.db.exec(INDEX_SCHEMA);
    this.db.prepare("INSERT INTO about (key, value) VALUES ('index', ?)").run(about);
    this.db.exec('COMMIT');
    this.behind = null;
  }

  /** Indexes the next few hundred events; false when nothing was left to do, or when it rests. `hurry`: it does not rest. */
  fillSome(hurry: boolean): boolean {
    try {
      return this.bury() || this.fillNext(hurry);
    } catch (thrown) {
      if (!isDamaged(thrown)) {
        throw thrown;
      }
      this.startOver();
      return true;
    }
  }

  close(): void {
    this.db.close();
  }

  /** Whether the tables are there and of this version. */
  isReady(): boolean {
    return this.readAbout() === `${INDEX_VERSION} ${this.workspace}`;
  }

  /** Whether everything that was committed is indexed. */
  isComplete(): boolean {
    return this.isReady() && this.look(0).length === 0;
  }

  /** The last step of a run that is in the index. */
  reached(run: RunRecord): number {
    const inherited = run.facts.parent?.step ?? 0;
    const row = this.isReady()
      ? this.known.get<{ step: number }>('SELECT step FROM cursor WHERE run = ?', run.id)
      : undefined;
    return Math.min(Math.max(row?.step ?? 0, inherited), run.state.steps);
  }

  progress(): IndexProgress {
    const behind = this.look(LOOK_MS).reduce((sum, ulid) => {
      const run = this.runOf(ulid);
      return run === undefined ? sum : sum + run.state.steps - this.reached(run);
    }, 0);
    const indexed = this.isReady()
      ? (this.known.get<{ n: number }>('SELECT coalesce(sum(step), 0) AS n FROM cursor')?.n ?? 0)
      : 0;
    return { steps: indexed + behind, behind };
  }

  private fillNext(hurry: boolean): boolean {
    if (!hurry && this.rests !== null && performance.now() - this.rests < REST_MS) {
      return false;
    }
    const behind = this.look(LOOK_MS);
    if (behind.length === 0) {
      return false;
    }
    const parts: IndexedPart[] = [];
    let events = 0;
    let characters = 0;
    for (const ulid of behind) {
      const part = this.readSome(ulid, BATCH - events);
      if (part === null) {
        // The runs are looked up anew: this one was removed since, or cannot be read.
        this.behind = null;
        break;
      }
      parts.push(part);
      events += part.events;
      characters += part.characters;
      if (!part.whole || events > BATCH - FEW || characters > BATCH_CHARACTERS) {
        break;
      }
    }
    this.write(parts);
    if (this.behind !== null) {
      const whole = new Set(parts.flatMap((part) => (part.whole ? part.ulid : [])));
      this.behind.runs = this.behind.runs.filter((ulid) => !whole.has(ulid));
    }
    this.rests = this.behind?.runs.length === 0 ? performance.now() : null;
    return true;
  }

  /** The next events of a run that are not indexed; null when there is no such run, or nobody can read it. */
  private readSome(ulid: string, room: number): IndexedPart | null {
    const run = this.runOf(ulid);
    if (run === undefined) {
      return null;
    }
    try {
      return this.readPart(run, room);
    } catch (thrown) {
      const notice = unreadableRun(ulid, thrown);
      if (notice === null) throw thrown;
      this.unreadable.add(ulid);
      this.told(notice);
      return null;
    }
  }

  private readPart(run: RunRecord, room: number): IndexedPart {
    const cursor = this.known.get<{ seq: number; step: number }>(
      'SELECT seq, step FROM cursor WHERE run = ?',
      run.id,
    );
    const events = readEvents(this.context, run, (cursor?.seq ?? 0) + 1, run.seq, room, false);
    const docs = [...bySteps(events)].flatMap(([step, known]) => {
      const texts = this.texts.textsOf(run, step, known);
      return texts === undefined ? [] : [{ step, texts }];
    });
    const seq = events.at(-1)?.seq ?? run.seq;
    const last = docs.reduce((most, { step }) => Math.max(most, step), cursor?.step ?? 0);
    const characters = docs.reduce((sum, { texts }) => sum + lengthOf(texts), 0);
    const place = { run: run.id, ulid: run.ulid, seq, last, whole: seq >= run.seq };
    return { ...place, docs, events: events.length, characters };
  }

  /** Steps of several runs in one transaction. */
  private write(parts: readonly IndexedPart[]): void {
    if (parts.length === 0) {
      return;
    }
    this.transaction(() => {
      for (const { run, docs, seq, last } of parts) {
        for (const { step, texts } of docs) {
          this.known.run(
            'INSERT OR REPLACE INTO step (rowid, thought, args, obs, hint, file) VALUES (?, ?, ?, ?, ?, ?)',
            rowId(run, step),
            indexedText(texts.thought),
            indexedText(texts.arguments),
            indexedText(texts.observation),
            indexedText(texts.hint),
            indexedText(texts.file),
          );
        }
        this.known.run('INSERT OR REPLACE INTO cursor (run, seq, step) VALUES (?, ?, ?)', run, seq, last);
      }
    });
  }

  /** Takes removed runs and removed texts out of the index. */
  private bury(): boolean {
    const graves = this.context.statements.all<{ run: number; mode: string }>(
      'SELECT run, mode FROM tombstone WHERE done = 1',
    );
    const next = graves.find(
      ({ run, mode }) =>
        this.known.get('SELECT 1 FROM buried WHERE run = ? AND mode = ?', run, mode) === undefined,
    );
    if (next === undefined) {
      return false;
    }
    this.transaction(() => {
      this.known.run(
        'DELETE FROM step WHERE rowid BETWEEN ? AND ?',
        rowId(next.run, 0),
        rowId(next.run, LAST_SEQ),
      );
      // What the purge left is indexed again from the first event.
      this.known.run('DELETE FROM cursor WHERE run = ?', next.run);
      this.known.run('INSERT INTO buried (run, mode) VALUES (?, ?)', next.run, next.mode);
    });
    this.behind = null;
    return true;
  }

  /**
   * ULIDs of the runs with events that are not indexed, the newest first. All runs are looked at only after a commit, and while
   * there is work at most every `freshMs`.
   */
  private look(freshMs: number): readonly string[] {
    // Another process may fill the index.
    const version = [this.context.statements.db, this.db]
      .map((db) => db.pragma('data_version', { simple: true }))
      .join();
    const { behind } = this;
    if (behind !== null) {
      const busy = behind.runs.length > 0 && performance.now() - behind.at < freshMs;
      if (behind.version === version || busy) {
        return behind.runs;
      }
    }
    const cursors = new Map(
      this.isReady()
        ? this.known
            .all<{ run: number; seq: number }>('SELECT run, seq FROM cursor')
            .map(({ run, seq }) => [run, seq])
        : [],
    );
    const runs = this.context.statements
      .all<{ id: number; ulid: string; seq: number }>(
        'SELECT r.id, r.ulid, h.seq FROM run_head h JOIN run r ON r.id = h.run ORDER BY r.id DESC',
      )
      .filter(({ id, ulid, seq }) => (cursors.get(id) ?? 0) < seq && !this.unreadable.has(ulid))
      .map(({ ulid }) => ulid);
    this.behind = { version, at: performance.now(), runs };
    return runs;
  }

  private runOf(ulid: string): RunRecord | undefined {
    const row = this.context.statements.get<RunRow>(`${RUN_SELECT} WHERE r.ulid = ?`, ulid);
    return row === undefined ? undefined : parseRun(row);
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

  /** The index is only a copy: it can be thrown away and made anew, by the holder of the indexer lock. */
  startOver(): void {
    this.unreadable.clear();
    this.rests = null;
    this.db.close();
    deleteIndexFile(this.context.folder);
    this.use(openIndexFile(this.context.folder));
    this.prepare();
  }

  private use(file: Db): void {
    this.db = file;
    this.inFile = true;
    this.known = new Statements(file);
    this.behind = null;
  }
}

function lengthOf(texts: StepTexts): number {
  return Object.values(texts).reduce((sum, text) => sum + text.length, 0);
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
