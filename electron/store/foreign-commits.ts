import type { AnnotationEntry } from '@shared/annotations';
import type { StoreNotice } from './api';
import type { Statements } from './rows';
import type { RunLog } from './run-log';
import type { RunState } from './run-state';

/** How often the file is asked whether another connection committed, ms. */
const POLL_MS = 100;
/** A longer gap comes without its events; the receiver fetches them by range. */
const MAX_EVENTS = 500;

/**
 * Tells of commits that other processes made. `PRAGMA data_version` on the writing connection changes with
 * every commit but its own.
 */
export class ForeignCommits {
  private timer: NodeJS.Timeout | undefined;
  private version: unknown;
  private readonly seqs = new Map<string, number>();
  private readonly ends = new Map<number, number>();
  private outbox = 0;
  private annotation = 0;
  private readonly ownOutbox = new Set<number>();
  private readonly ownAnnotations = new Set<string>();

  constructor(
    private readonly statements: Statements,
    private readonly log: RunLog,
    private readonly notify: (notice: StoreNotice) => void,
    private readonly failed: (thrown: unknown) => void,
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

  seenAnnotation(ulid: string): void {
    this.ownAnnotations.add(ulid);
  }

  /** Nobody waits for a poll, so what it cannot read is told, once. */
  private tryPoll(): void {
    try {
      this.poll();
    } catch (thrown) {
      this.stop();
      this.failed(thrown);
    }
  }

  private poll(): void {
    const version = this.readVersion();
    if (version === this.version) {
      return;
    }
    this.version = version;
    this.notify({ kind: 'foreign' });
    this.tellRuns();
    this.tellOutbox();
    this.tellAnnotations();
    this.tellSessions();
  }

  private tellRuns(): void {
    for (const { ulid, id, seq, state } of this.heads()) {
      const known = this.seqs.get(ulid) ?? 0;
      if (seq > known) {
        this.seqs.set(ulid, seq);
        const events =
          seq - known <= MAX_EVENTS ? this.log.read({ id, ulid }, known + 1, seq, MAX_EVENTS) : [];
        const { steps } = JSON.parse(state) as RunState;
        this.notify({ kind: 'run', run: ulid, seq, steps, events });
      }
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

  private tellAnnotations(): void {
    const rows = this.statements.all<{ id: number; ulid: string; body: string }>(
      'SELECT id, ulid, body FROM annotation WHERE id > ? AND purged = 0 ORDER BY id',
      this.annotation,
    );
    for (const { id, ulid, body } of rows) {
      this.annotation = id;
      if (!this.ownAnnotations.delete(ulid)) {
        const { target } = JSON.parse(body) as AnnotationEntry;
        this.notify({ kind: 'labels', run: target.run, from: target.from, to: target.to });
      }
    }
  }

  private tellSessions(): void {
    for (const { id, run, uid, end } of this.sessionEnds()) {
      if (end > (this.ends.get(id) ?? 0)) {
        this.ends.set(id, end);
        this.notify({ kind: 'session', run, uid, endOffset: end });
      }
    }
  }

  private heads(): { ulid: string; id: number; seq: number; state: string }[] {
    return this.statements.all(
      'SELECT r.ulid, r.id, h.seq, h.state FROM run_head h JOIN run r ON r.id = h.run',
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
