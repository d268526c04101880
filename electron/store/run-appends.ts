import type { DatedEvent, NewEvent } from '@shared/events';
import type { StoreNotice } from './api';
import type { BackgroundRenewal } from './background-renewal';
import type { Job } from './group-commit';
import type { OpenRuns } from './open-runs';
import type { RuleCatchUp } from './rule-catch-up';
import type { RuleFolds } from './rule-folds';
import type { OpenRun, PreparedEvent, RunLog } from './run-log';
import type { RunProjection } from './run-projection';
import type { PendingGap, SessionLog } from './session-log';

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
  /** Right after COMMIT. */
  stored(notice: RunNotice): void;
}

/** Appends events of a run: log, heads, marks and rule columns in one transaction. */
export class RunAppends {
  constructor(private readonly parts: RunAppendParts) {}

  /** `allowed` looks at the run inside the transaction; when it says no, nothing is written and `raced` is true. */
  async append(
    run: string,
    epoch: number,
    events: DatedEvent[],
    allowed: (open: OpenRun) => boolean,
  ): Promise<{ raced: boolean; seq: number }> {
    const { log, runs, rules, catchUp, projection, sessions, renewal } = this.parts;
    if (renewal.isOutdated(run)) {
      await renewal.ready(run);
    }
    let prepared: PreparedEvent[];
    let gaps: PendingGap[] = [];
    let notice: RunNotice | null = null;
    return this.parts.write({
      prepare: () => {
        prepared = log.prepare(events);
        gaps = this.passOver(run, events);
        const open = runs.lastSeen(run);
        if (open !== undefined) {
          rules.warm(open);
        }
      },
      run: () => {
        runs.touch(run);
        const open = runs.current(run, events[0]);
        if (!allowed(open)) {
          return { raced: true, seq: open.seq };
        }
        const stored = log.insert(open, epoch, prepared);
        for (const gap of gaps) {
          sessions.storeGap(gap);
        }
        const verdicts = rules.apply(open, stored);
        projection.apply(open.id, open.state, stored, verdicts ?? []);
        log.writeHead(open);
        if (verdicts === null) {
          catchUp.want(run);
        }
        notice = { kind: 'run', run, seq: open.seq, steps: open.state.steps, events: stored };
        return { raced: false, seq: open.seq };
      },
      committed: () => {
        if (notice !== null) {
          this.parts.stored(notice);
        }
      },
    });
  }

  /** Bytes that a host dropped: the byte log of the session goes on behind them, in the transaction of the event. */
  private passOver(run: string, events: readonly NewEvent[]): PendingGap[] {
    const { sessions, runs } = this.parts;
    return events.flatMap((event) =>
      event.kind === 'session.gap'
        ? [sessions.passOver(run, runs.current(run).id, event.body.uid, event.body)]
        : [],
    );
  }
}
