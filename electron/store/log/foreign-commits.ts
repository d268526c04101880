import type { RunEvent } from '@shared/log/events';
import type { Statements } from '../file/rows';
import type { StoreNotice } from '../notices';
import type { RunLog } from './run-log';
import { unreadableRun } from './unreadable-run';

/** How often the file is asked whether another connection committed, ms. */
const POLL_MS = 100;
/** A longer gap comes without its events; the receiver fetches them by range. */
const MAX_EVENTS = 500;

export interface ForeignCommitOptions {
  failed(thrown: unknown): void;
  /** Another process has changed what the workspace says about the rules of this task; it may have died right after. */
  rulesChanged(task: string): void;
}

/** Steps `next..last` of a run, of which labels are to be renewed. */
interface Work {
  run: string;
  next: number;
  last: number;
}

/**
 * Tells of commits that other processes made. `PRAGMA data_version` on the writing connection changes with
 * every commit but its own.
 */
export class ForeignCommits {
  private timer: NodeJS.Timeout | undefined;
  private version: unknown;
  private readonly seqs = new Map<string, number>();
  private readonly ends = new Map<number, number>();
  /** Sums of the rules' settings by task. */
  private rules: ReadonlyMap<string, string> = new Map();
  private outbox = 0;
  private annotation = 0;
  private readonly ownOutbox = new Set<number>();
  /** Labels that are still to be renewed, by the row that says so. */
  private work: ReadonlyMap<number, Work> = new Map();
  /** Rows of the annotation log that this process has stored, ascending, those not passed yet. */
  private readonly ownAnnotations: { from: number; to: number }[] = [];

  constructor(
    private readonly statements: Statements,
    private readonly log: RunLog,
    private readonly notify: (notice: StoreNotice) => void,
    private readonly options: ForeignCommitOptions,
  ) {}

  start(): void {
    this.version = this.readVersion();
    for (const { ulid, seq } of this.heads()) {
      this.seqs.set(ulid, seq);
    }
    for (const { id, end } of this.sessionEnds()) {
      this.ends.set(id, end);
    }
    this.outbox = this.maxId('outbox');
    this.annotation = this.maxId('annotation');
    this.rules = this.ruleSettings();
    this.work = this.labelWork();
    this.timer = setInterval(() => this.tryPoll(), POLL_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  seenRun(run: string, seq: number): void {
    this.seqs.set(run, seq);
  }

  seenOutbox(id: number): void {
    this.ownOutbox.add(id);
  }

  seenAnnotations(from: number, to: number): void {
    const last = this.ownAnnotations.at(-1);
    if (last?.to === from - 1) last.to = to;
    else this.ownAnnotations.push({ from, to });
  }

  /** Nobody waits for a poll: what it cannot read is told, and the next one tries again. */
  private tryPoll(): void {
    try {
      this.poll();
    } catch (thrown) {
      this.options.failed(thrown);
    }
  }

  private poll(): void {
    const version = this.readVersion();
    if (version === this.version) {
      return;
    }
    this.notify({ kind: 'foreign' });
    this.tellOutbox();
    // As of one moment: what an entry changes is either done, or among the work that is left.
    this.statements.db.transaction(() => {
      this.tellLabelWork();
      this.tellAnnotations();
    })();
    this.tellSessions();
    this.tellRules();
    this.tellRuns();
    this.version = version;
  }

  private tellRuns(): void {
    for (const { ulid, id, seq, steps } of this.heads()) {
      const known = this.seqs.get(ulid) ?? 0;
      if (seq > known) {
        const events = seq - known <= MAX_EVENTS ? this.eventsOf({ id, ulid, seq }, known + 1) : null;
        this.seqs.set(ulid, seq);
        this.notify({ kind: 'run', run: ulid, seq, steps, events });
      }
    }
  }

  /** Null when one of them cannot be read. */
  private eventsOf(run: { id: number; ulid: string; seq: number }, from: number): RunEvent[] | null {
    try {
      return this.log.read(run, from, run.seq, MAX_EVENTS);
    } catch (thrown) {
      const notice = unreadableRun(run.ulid, thrown);
      if (notice === null) throw thrown;
      this.notify(notice);
      return null;
    }
  }

  private tellOutbox(): void {
    const rows = this.statements.all<{ id: number; ulid: string }>(
      'SELECT o.id, r.ulid FROM outbox o JOIN run r ON r.id = o.run WHERE o.id > ? ORDER BY o.id',
      this.outbox,
    );
    for (const { id, ulid } of rows) {
      this.outbox = id;
      if (!this.ownOutbox.delete(id)) {
        this.notify({ kind: 'outbox', run: ulid, head: id });
      }
    }
  }

  /** An entry comes with the first of the labels that follow from it; the rest is renewed in later commits, and told of then. */
  private tellLabelWork(): void {
    const before = this.work;
    this.work = this.labelWork();
    for (const [id, { run, next, last }] of before) {
      const now = this.work.get(id);
      // The number of one that is done may be another's by now.
      const goesOn = now?.run === run && now.last === last && now.next >= next;
      const left = goesOn ? now.next : last + 1;
      if (left > next) this.notify({ kind: 'labels', run, from: next, to: left - 1 });
    }
  }

  private labelWork(): ReadonlyMap<number, Work> {
    const rows = this.statements.all<Work & { id: number }>(
      'SELECT w.id, r.ulid AS run, w.next, w.last FROM label_work w JOIN run r ON r.id = w.run',
    );
    return new Map(rows.map(({ id, ...work }) => [id, work]));
  }

  /** SQLite takes the target out of each entry: one that is damaged says nothing, and the next ones are told. */
  private tellAnnotations(): void {
    const rows = this.statements.all<{
      id: number;
      run: string;
      low: number | null;
      high: number | null;
    }>(
      `SELECT id, (SELECT r.ulid FROM run r WHERE r.id = annotation.run) AS run,
         iif(json_valid(body), body ->> '$.target.from', NULL) AS low,
         iif(json_valid(body), body ->> '$.target.to', NULL) AS high
       FROM annotation WHERE id > ? AND purged = 0 ORDER BY id`,
      this.annotation,
    );
    for (const { id, run, low, high } of rows) {
      this.annotation = id;
      if (!this.isOwn(id) && low !== null && high !== null) {
        this.notify({ kind: 'labels', run, from: low, to: high });
      }
    }
  }

  /** Rows are asked about in ascending order: what lies before is passed. */
  private isOwn(annotation: number): boolean {
    const own = this.ownAnnotations;
    while ((own[0]?.to ?? annotation) < annotation) own.shift();
    return own[0] !== undefined && own[0].from <= annotation;
  }

  private tellSessions(): void {
    for (const { id, run, uid, end } of this.sessionEnds()) {
      if (end > (this.ends.get(id) ?? 0)) {
        this.ends.set(id, end);
        this.notify({ kind: 'session', run, uid, endOffset: end });
      }
    }
  }

  private tellRules(): void {
    const before = this.rules;
    this.rules = this.ruleSettings();
    for (const task of new Set([...before.keys(), ...this.rules.keys()])) {
      if (before.get(task) !== this.rules.get(task)) {
        this.options.rulesChanged(task);
      }
    }
  }

  private ruleSettings(): ReadonlyMap<string, string> {
    const rows = this.statements.all<{ task: string; sum: string }>(
      'SELECT task, hex(sum) AS sum FROM rule_setting',
    );
    return new Map(rows.map(({ task, sum }) => [task, sum]));
  }

  private heads(): { ulid: string; id: number; seq: number; steps: number }[] {
    return this.statements.all(
      `SELECT r.ulid, r.id, h.seq, iif(json_valid(h.state), h.state ->> '$.steps', 0) AS steps
       FROM run_head h JOIN run r ON r.id = h.run`,
    );
  }

  private sessionEnds(): { id: number; run: string; uid: string; end: number }[] {
    return this.statements.all(
      'SELECT s.id, r.ulid AS run, s.uid, s.end_offset AS end FROM session_log s JOIN run r ON r.id = s.run',
    );
  }

  private maxId(table: 'outbox' | 'annotation'): number {
    return this.statements.get<{ id: number }>(`SELECT coalesce(max(id), 0) AS id FROM ${table}`)?.id ?? 0;
  }

  private readVersion(): unknown {
    return this.statements.db.pragma('data_version', { simple: true });
  }
}
