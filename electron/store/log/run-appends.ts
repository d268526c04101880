import type { DatedEvent } from '@shared/log/events';
import type { StoreNotice } from '../notices';
import type { BackgroundRenewal } from '../projections/background-renewal';
import type { RuleCatchUp } from '../projections/rule-catch-up';
import type { RuleFolds } from '../projections/rule-folds';
import type { RunProjection } from '../projections/run-projection';
import type { PendingGap, SessionLog } from '../sessions/session-log';
import type { Job } from './group-commit';
import type { OpenRuns } from './open-runs';
import type { OpenRun, PreparedEvent, RunLog } from './run-log';

type RunNotice = Extract<StoreNotice, { kind: 'run' }>;

export interface RunAppendParts {
  log: RunLog;
  runs: OpenRuns;
  rules: RuleFolds;
  catchUp: RuleCatchUp;
  projection: RunProjection;
  sessions: SessionLog;
  renewal: BackgroundRenewal;
  write<T>(job: Job<T>): Promise<T>;
  /** Right after COMMIT; `version`: state of the file as of which it was written. */
  stored(notice: RunNotice, version: unknown): void;
}

interface Append {
  run: string;
  epoch: number;
  events: DatedEvent[];
  /** As `StoreWriter.append`. */
  newest?: string | null | undefined;
  /** Looks at the run inside the transaction; when it says no, nothing is written and `raced` is true. */
  allowed?: (open: OpenRun) => boolean;
}

interface Appended {
  raced: boolean;
  seq: number;
}

/** Appends events of a run: log, heads, marks and rule columns in one transaction. */
export class RunAppends {
  constructor(private readonly parts: RunAppendParts) {}

  append(append: Append): Promise<Appended> {
    const { renewal } = this.parts;
    // Without a turn of its own for the many whose run is as it should be.
    return renewal.isOutdated(append.run)
      ? renewal.ready(append.run).then(() => this.write(append))
      : this.write(append);
  }

  private write(append: Append): Promise<Appended> {
    return this.parts.write(new AppendJob(this.parts, append));
  }
}

class AppendJob implements Job<Appended> {
  private prepared: PreparedEvent[] = [];
  private gaps: PendingGap[] = [];
  private notice: RunNotice | null = null;
  private version: unknown;

  constructor(
    private readonly parts: RunAppendParts,
    private readonly asked: Append,
  ) {}

  prepare(): void {
    const { log, runs, rules, sessions } = this.parts;
    const { run, epoch, events } = this.asked;
    this.prepared = log.prepare(events);
    for (const event of events) {
      if (event.kind === 'session.gap') {
        this.gaps.push(sessions.passOver(run, epoch, event.body.uid, event.body));
      }
    }
    const open = runs.lastSeen(run);
    if (open !== undefined) {
      rules.warm(open);
    }
  }

  run(): Appended {
    const { log, runs, rules, catchUp, projection, sessions } = this.parts;
    const { run, epoch, events, newest, allowed } = this.asked;
    runs.touch(run);
    this.version = runs.version();
    if (newest !== undefined) log.refuseBegunSince(newest);
    const open = runs.current(run, events[0], this.version);
    if (allowed?.(open) === false) {
      this.abandon();
      return { raced: true, seq: open.seq };
    }
    const stored = log.insert(open, epoch, this.prepared);
    for (const gap of this.gaps) {
      sessions.storeGap(gap);
    }
    const verdicts = rules.apply(open, stored, this.version);
    projection.apply(open.id, open.state, stored, verdicts ?? []);
    log.writeHead(open);
    if (verdicts === null) {
      catchUp.want(run);
    }
    this.notice = { kind: 'run', run, seq: open.seq, steps: open.state.steps, events: stored };
    return { raced: false, seq: open.seq };
  }

  abandon(): void {
    for (const gap of this.gaps.splice(0)) {
      this.parts.sessions.abandon(gap);
    }
  }

  committed(): void {
    for (const gap of this.gaps) {
      this.parts.sessions.committed(gap);
    }
    if (this.notice !== null) {
      this.parts.stored(this.notice, this.version);
    }
  }
}
