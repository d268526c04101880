import type { DatedEvent } from '@shared/log/events';
import type { Statement } from '../file/database';
import type { Statements } from '../file/rows';
import type { RuleFolds } from '../projections/rule-folds';
import type { OpenRun, RunLog } from './run-log';

interface KnownRun {
  run: OpenRun;
  /** State of the file as of which the whole of it was compared; commits of this process do not change it. */
  version: unknown;
}

/** Runs as this process knows them between appends; checked against the file before each use. */
export class OpenRuns {
  private readonly known = new Map<string, KnownRun>();
  private readonly touched = new Set<string>();

  private readonly dataVersion: Statement;

  constructor(
    private readonly statements: Statements,
    private readonly log: RunLog,
    private readonly rules: RuleFolds,
  ) {
    this.dataVersion = statements.prepare('PRAGMA data_version').pluck();
  }

  /**
   * The run as stored now, or a new one when `first` creates it. Throws `not_found`. `version`: as read in this transaction, or
   * before anything else was: what another process commits meanwhile is looked for at the next use.
   */
  current(run: string, first?: DatedEvent, version = this.version()): OpenRun {
    const known = this.known.get(run);
    if (known !== undefined && this.isCurrent(known, version)) {
      known.version = version;
      return known.run;
    }
    if (known !== undefined) {
      this.rules.forget(run);
    }
    const open = this.load(run) ?? this.log.create(run, first);
    this.known.set(run, { run: open, version });
    return open;
  }

  /** The run as stored now; null when it is not here or was removed. */
  find(run: string): OpenRun | null {
    return this.isStored(run) ? this.current(run) : null;
  }

  /** For work ahead of a transaction: the run as last seen, undefined when it does not exist yet. */
  lastSeen(run: string): OpenRun | undefined {
    return this.known.get(run)?.run ?? this.load(run);
  }

  /** The run is about to change: if the transaction fails, what is in memory must go. */
  touch(run: string): void {
    this.touched.add(run);
  }

  committed(): void {
    this.touched.clear();
  }

  rolledBack(): void {
    for (const run of this.touched) {
      this.forget(run);
    }
    this.touched.clear();
  }

  forget(run: string): void {
    this.known.delete(run);
    this.rules.forget(run);
  }

  private isCurrent({ run, version }: KnownRun, now: unknown): boolean {
    return this.log.isCurrent(run) && (version === now || this.log.isWhole(run));
  }

  /** Changes with every commit of another process; costs least inside a transaction. */
  version(): unknown {
    return this.dataVersion.get();
  }

  private load(run: string): OpenRun | undefined {
    return this.isStored(run) ? this.log.load(run) : undefined;
  }

  private isStored(run: string): boolean {
    const sql = 'SELECT 1 FROM run r JOIN run_head h ON h.run = r.id WHERE r.ulid = ?';
    return this.statements.get(sql, run) !== undefined;
  }
}
