import type { BlobStore } from '../file/blob-store';
import { LAST_SEQ, rowId, type Statements } from '../file/rows';
import { decodeEvent, EVENT_COLUMNS, type EventRow } from '../log/event-codec';
import { EventOrder } from '../log/event-order';
import type { GroupCommit } from '../log/group-commit';
import { isRemoved } from '../log/removed-run';
import type { LabelWork } from './label-work';
import { PrivateRebuild } from './private-rebuild';
import type { StepProjector } from './step-projector';
import { type RenewedTable, TableRenewal } from './table-renewal';

/** Events that are folded between two turns of other work. */
const PAGE = 200;
/** Progress is told this often, ms. */
const TELL_MS = 200;

/** Columns of a step that people, judges and rules decide: `LabelWork` renews them. */
const LABEL_COLUMNS = new Set([
  ...['label', 'label_flags', 'label_source', 'label_reason', 'rules'],
  ...['authors', 'decided', 'judge', 'comments'],
]);

export interface RenewalParts {
  statements: Statements;
  blobs: BlobStore;
  projector: StepProjector;
  group: GroupCommit;
  labels: LabelWork;
  /** What is held in memory about the run is no longer what is stored. */
  renewed(ulid: string): void;
  /** Events folded so far, of so many. */
  progress(ulid: string, done: number, of: number): void;
  /** True = give up; what is stored stays as it is, and is good. */
  stopped(): boolean;
}

/**
 * Derives a run's projections from its log again, into a database of its own, and then makes what is stored equal to it in
 * small transactions. Readers and other writers go on meanwhile; a process that dies in between leaves rows that are right
 * or as they were, and the next one begins anew.
 */
export class ProjectionRenewal {
  private seq = 0;
  private toldAt = Number.NEGATIVE_INFINITY;
  private readonly again: PrivateRebuild;
  private readonly purged: boolean;
  private readonly outbox: number;
  private readonly annotations: number;

  constructor(
    private readonly parts: RenewalParts,
    private readonly run: number,
    private readonly ulid: string,
  ) {
    const { statements, projector } = parts;
    this.purged = statements.get('SELECT 1 FROM tombstone WHERE run = ?', run) !== undefined;
    this.outbox = this.lastOf('outbox');
    this.annotations = this.lastOf('annotation');
    this.again = new PrivateRebuild(statements, projector, run, ulid, this.purged);
  }

  /** How many rows were not what the log gives, of a run that is removed meanwhile so far; null when it was stopped. */
  async work(): Promise<number | null> {
    try {
      this.again.rebuild.entries();
      let changed = 0;
      for (;;) {
        if (!(await this.fold())) return null;
        this.again.rebuild.settle();
        const rows = await this.renewTables();
        if (rows === null) return null;
        changed += rows;
        // What was appended meanwhile is folded as well, or the head would be ahead of its rows.
        if ((await this.renewHead()) || this.isGone()) return changed;
      }
    } finally {
      this.again.close();
    }
  }

  private async fold(): Promise<boolean> {
    const { statements, blobs } = this.parts;
    const { seq: head = 0 } =
      statements.get<{ seq: number }>('SELECT seq FROM run_head WHERE run = ?', this.run) ?? {};
    while (this.seq < head && !this.isGone()) {
      if (this.parts.stopped()) return false;
      const rows = statements.all<EventRow>(
        `SELECT ${EVENT_COLUMNS} FROM event WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ${PAGE}`,
        rowId(this.run, this.seq + 1),
        rowId(this.run, head),
      );
      const order = new EventOrder(statements, { id: this.run, ulid: this.ulid }, this.seq + 1);
      for (const row of rows) order.take(row);
      if (rows.length === 0) order.end(head);
      this.again.rebuild.apply(rows.map((row) => decodeEvent(row, this.ulid, (sha) => blobs.read(sha))));
      this.seq = rows.length === 0 ? head : this.seq + rows.length;
      this.tell(head);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return true;
  }

  private tell(head: number): void {
    if (this.seq < head && performance.now() - this.toldAt < TELL_MS) return;
    this.toldAt = performance.now();
    this.parts.progress(this.ulid, this.seq, head);
  }

  private async renewTables(): Promise<number | null> {
    let changed = 0;
    for (const table of this.tables()) {
      const renewal = new TableRenewal(this.parts.statements, this.again.statements, table);
      for (let more = true; more; ) {
        if (this.parts.stopped()) return null;
        more = await this.parts.group.add({
          // It remembers how far it came, so it is not run again for the sake of others.
          alone: true,
          // A hint that came meanwhile is known to the stored rows alone.
          run: () =>
            !this.isGone() &&
            (table.name !== 'hint' || this.lastOf('outbox') === this.outbox) &&
            renewal.next(),
        });
      }
      changed += renewal.changed;
    }
    return changed;
  }

  private tables(): RenewedTable[] {
    const { run } = this;
    const range = [rowId(run, 0), rowId(run, LAST_SEQ)];
    const byId = (name: string, keep?: ReadonlySet<string>): RenewedTable => ({
      name,
      key: ['id'],
      scope: 'id BETWEEN ? AND ?',
      parameters: range,
      ...(keep === undefined ? {} : { keep }),
    });
    const byRun = (name: string, ...key: string[]): RenewedTable => ({
      name,
      key,
      scope: 'run = ?',
      parameters: [run],
    });
    // Entries that came meanwhile are known to the stored rows alone.
    const upToNow = { scope: 'run = ? AND annotation <= ?', parameters: [run, this.annotations] };
    return [
      byId('step_head', LABEL_COLUMNS),
      ...['note', 'segment', 'query', 'evaluation', 'timing'].map((name) => byId(name)),
      byRun('file_revision', 'computer', 'path', 'revision'),
      byRun('session', 'uid'),
      byRun('hint', 'ulid'),
      { ...byRun('mark', 'level', 'block', 'annotation'), ...upToNow },
      { ...byRun('gesture', 'annotation'), ...upToNow },
      ...(this.purged || !this.rulesAreCurrent()
        ? []
        : [{ name: 'rule_mark', key: ['step', 'rule'], scope: 'step BETWEEN ? AND ?', parameters: range }]),
    ];
  }

  /** Verdicts of other rules are replaced by whoever follows rules. */
  private rulesAreCurrent(): boolean {
    const row = this.parts.statements.get<{ version: string | null; seq: number }>(
      'SELECT rule_version AS version, rule_seq AS seq FROM run_head WHERE run = ?',
      this.run,
    );
    return row?.version === this.again.rebuild.inForce?.version && row?.seq === this.seq;
  }

  private async renewHead(): Promise<boolean> {
    const { statements, group, labels } = this.parts;
    const { state, facts } = this.again.rebuild;
    const work = await group.add({
      run: () => {
        if (this.isGone()) return null;
        const written = statements.run(
          'UPDATE run_head SET facts = ?, state = ?, changed_at = ? WHERE run = ? AND seq = ?',
          JSON.stringify(facts),
          JSON.stringify(state),
          state.lastAt,
          this.run,
          this.seq,
        );
        if (written.changes === 0) return null;
        return {
          labels: state.steps === 0 ? null : labels.postpone(this.run, [{ from: 1, to: state.steps }]),
        };
      },
      committed: () => this.parts.renewed(this.ulid),
    });
    await labels.finish(work?.labels ?? null);
    return work !== null;
  }

  /** Another process removes it: nothing of it may be written any more. */
  private isGone(): boolean {
    return isRemoved(this.parts.statements, this.run);
  }

  private lastOf(table: 'outbox' | 'annotation'): number {
    const row = this.parts.statements.get<{ id: number | null }>(
      `SELECT max(id) AS id FROM ${table} WHERE run = ?`,
      this.run,
    );
    return row?.id ?? 0;
  }
}
