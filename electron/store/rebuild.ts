import type { AnnotationEntry } from '@shared/annotations';
import type { RunEvent } from '@shared/events';
import { type Db, openDatabase } from './database';
import { LAST_SEQ, rowId } from './ids';
import { migrate } from './migrate';
import { outboxEntry } from './outbox-log';
import { Statements } from './rows';
import { type RunFacts, type RunState, runFacts, startState } from './run-fold';
import { RunProjection } from './run-projection';
import type { RunRuleFold, StepProjector } from './step-projector';

/**
 * Derives one run's projections from its logs again, by the same code as the appending transaction, in a
 * private database. The caller passes the events, in order.
 */
export class Rebuild {
  readonly statements: Statements;
  readonly state: RunState = startState();
  facts: RunFacts | null = null;
  createdAt = 0;
  private readonly db: Db;
  private readonly projection: RunProjection;
  private rules: RunRuleFold | null = null;

  constructor(
    private readonly source: Statements,
    private readonly projector: StepProjector,
    readonly run: number,
    readonly ulid: string,
    /** Texts were purged: rules would judge empty texts, so their verdicts are taken over as stored. */
    private readonly purged: boolean,
  ) {
    this.db = openDatabase('');
    this.db.pragma('synchronous = OFF');
    this.db.pragma('foreign_keys = OFF');
    migrate(this.db);
    this.statements = new Statements(this.db);
    this.projection = new RunProjection(this.statements);
    this.db.exec('BEGIN');
  }

  /** What people said: hints as queued, annotation entries with their index. */
  entries(): void {
    const outbox = this.source.all<{ id: number; body: string }>(
      "SELECT id, body FROM outbox WHERE run = ? AND body <> '' ORDER BY id",
      this.run,
    );
    for (const row of outbox) {
      this.projection.hints.post(this.run, outboxEntry(row));
    }
    const annotations = this.source.all<{
      id: number;
      ulid: string;
      device: string;
      device_seq: number;
      body: string;
    }>(
      'SELECT id, ulid, device, device_seq, body FROM annotation WHERE run = ? AND purged = 0 ORDER BY id',
      this.run,
    );
    for (const { id, ulid, device, device_seq, body } of annotations) {
      const { target, author, body: op } = JSON.parse(body) as AnnotationEntry;
      this.statements.run(
        'INSERT INTO annotation (id, ulid, run, author, op, device, device_seq, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, zeroblob(32))',
        id,
        ulid,
        this.run,
        author.uuid,
        op.op,
        device,
        device_seq,
        body,
      );
      this.projection.labels.ranges.add(id, this.run, target.from, target.to);
    }
  }

  apply(event: RunEvent): void {
    if (event.kind === 'run.created') {
      this.facts = runFacts(event.body);
      this.createdAt = event.at;
      this.rules = this.projector.start(event);
    }
    const verdicts = this.purged ? [] : (this.rules?.apply(event) ?? []);
    this.projection.apply(this.run, this.state, [event], verdicts);
  }

  /** Labels of every step, once all is known. */
  finish(): void {
    if (this.purged) {
      const rows = this.source.all<{ step: number; rule: string; verdict: string }>(
        'SELECT step, rule, verdict FROM rule_mark WHERE step BETWEEN ? AND ?',
        rowId(this.run, 0),
        rowId(this.run, LAST_SEQ),
      );
      for (const { step, rule, verdict } of rows) {
        this.statements.run(
          'INSERT INTO rule_mark (step, rule, verdict) VALUES (?, ?, ?)',
          step,
          rule,
          verdict,
        );
      }
    }
    // A running step has a row only if somebody decided about it.
    const running = this.state.steps;
    if (this.source.get('SELECT 1 FROM step_head WHERE id = ?', rowId(this.run, running)) !== undefined) {
      this.projection.settle(this.run, this.state.head);
    }
    if (this.state.steps > 0) {
      this.projection.labels.refreshRange(this.run, 1, this.state.steps);
      this.projection.refreshTileRange(this.run, 1, this.state.steps, this.state.steps);
    }
  }

  close(): void {
    this.db.close();
  }
}
