import type { DatedEvent } from '@shared/events';
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
  /** Right after COMMIT; `version`: state of the file as of which it was written. */
  stored(notice: RunNotice, version: unknown): void;
}

/** Appends events of a run: log, heads, marks and rule columns in one transaction. */
export class RunAppends {
  constructor(private readonly parts: RunAppendParts) {}

  /** `allowed` looks at the run inside the transaction; when it says no, nothing is written and `raced` is true. `newest`: as `StoreWriter.append`. */
  async append(
    run: string,
    epoch: number,
    events: DatedEvent[],
    allowed: (open: OpenRun) => boolean,
    newest?: string | null,
  ): Promise<{ raced: boolean; seq: number }> {
    const { log, runs, rules, catchUp, projection, sessions, renewal } = this.parts;
    if (renewal.isOutdated(run)) {
      await renewal.ready(run);
    }
    let prepared: PreparedEvent[];
    const gaps: PendingGap[] = [];
    const abandon = () => {
      for (const gap of gaps.splice(0)) {
        sessions.abandon(gap);
      }
    };
    let notice: RunNotice | null = null;
    let version: unknown;
    return this.parts.write({
      prepare: () => {
        prepared = log.prepare(events);
        for (const event of events) {
          if (event.kind === 'session.gap') {
            gaps.push(sessions.passOver(run, epoch, event.body.uid, event.body));
          }
        }
        const open = runs.lastSeen(run);
        if (open !== undefined) {
          rules.warm(open);
        }
      },
      run: () => {
        runs.touch(run);
        version = runs.version();
        if (newest !== undefined) log.refuseBegunSince(newest);
        const open = runs.current(run, events[0], version);
        if (!allowed(open)) {
          abandon();
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
      abandon,
      committed: () => {
        for (const gap of gaps) {
          sessions.committed(gap);
        }
        if (notice !== null) {
          this.parts.stored(notice, version);
        }
      },
    });
  }
}
