import type { DatedEvent } from '@shared/events';
import type { Statements } from './rows';
import type { RuleFolds } from './rule-folds';
import type { OpenRun, RunLog } from './run-log';

/** Runs as this process knows them between appends; checked against the file before each use. */
export class OpenRuns {
  private readonly known = new Map<string, OpenRun>();
  private readonly touched = new Set<string>();

  constructor(
    private readonly statements: Statements,
    private readonly log: RunLog,
    private readonly rules: RuleFolds,
  ) {}

  /** The run as stored now, or a new one when `first` creates it. Throws `not_found`. */
  current(run: string, first?: DatedEvent): OpenRun {
    const known = this.known.get(run);
    if (known !== undefined && this.log.isCurrent(known)) {
      return known;
    }
    if (known !== undefined) {
      this.rules.forget(run);
    }
    const open = this.load(run) ?? this.log.create(run, first);
    this.known.set(run, open);
    return open;
  }

  /** For work ahead of a transaction: the run as last seen, undefined when it does not exist yet. */
  lastSeen(run: string): OpenRun | undefined {
    return this.known.get(run) ?? this.load(run);
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

  private load(run: string): OpenRun | undefined {
    const stored = this.statements.get(
      'SELECT 1 FROM run r JOIN run_head h ON h.run = r.id WHERE r.ulid = ?',
      run,
    );
    return stored === undefined ? undefined : this.log.load(run);
  }
}
