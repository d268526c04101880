import type { RunEvent } from '@shared/events';
import { LAST_SEQ, rowId } from './ids';
import type { Statements } from './rows';
import type { OpenRun, RunLog } from './run-log';
import type { RuleVerdictRow, RunRuleFold, StepProjector } from './step-projector';

/** A fold with fewer events behind it is brought up to date inside the append; a longer one in the background. */
const INLINE_EVENTS = 2000;
/** Events per background batch. */
const BATCH = 250;

interface LiveFold {
  fold: RunRuleFold;
  /** Events applied so far. */
  seq: number;
}

/** The rule folds of the runs this process writes, and how far their verdicts are stored. */
export class RuleFolds {
  private readonly live = new Map<string, LiveFold>();

  constructor(
    private readonly statements: Statements,
    private readonly log: RunLog,
    private readonly projector: StepProjector,
  ) {}

  forget(run: string): void {
    this.live.delete(run);
  }

  /** Outside the transaction: replays a short run, so that `apply` can go on from its head. */
  warm(run: OpenRun): void {
    if (
      run.seq > 0 &&
      run.seq <= INLINE_EVENTS &&
      this.isStored(run) &&
      this.live.get(run.ulid)?.seq !== run.seq
    ) {
      this.replay(run, 1, run.seq);
    }
  }

  /** Verdicts of freshly inserted events; null when the fold is behind and must catch up first. */
  apply(run: OpenRun, events: readonly RunEvent[]): RuleVerdictRow[] | null {
    const first = events[0];
    if (first === undefined) {
      return [];
    }
    const live = first.seq === 1 ? this.start(run, first) : this.live.get(run.ulid);
    if (live === undefined || live.seq !== first.seq - 1) {
      return null;
    }
    const verdicts = events.flatMap((event) => live.fold.apply(event));
    live.seq = run.seq;
    run.rules = { version: this.projector.version, seq: run.seq };
    return verdicts;
  }

  /** Whether stored verdicts are of this projector and reach the head. */
  isStored({ rules, seq }: Pick<OpenRun, 'rules' | 'seq'>): boolean {
    return rules.version === this.projector.version && rules.seq >= seq;
  }

  /** Applies the next batch; `first` tells that verdicts of another version must go. Null when the fold is at the head. */
  nextBatch(run: OpenRun): { verdicts: RuleVerdictRow[]; seq: number } | null {
    const done = this.live.get(run.ulid)?.seq ?? 0;
    if (done >= run.seq) {
      return null;
    }
    const seq = Math.min(run.seq, done + BATCH);
    return { verdicts: this.replay(run, done + 1, seq), seq };
  }

  /** Stores how far a batch came; false when another process came further with the same rules. */
  advance(run: OpenRun, seq: number): boolean {
    if (this.isOtherVersion(run)) {
      this.statements.run(
        'DELETE FROM rule_mark WHERE step BETWEEN ? AND ?',
        rowId(run.id, 0),
        rowId(run.id, LAST_SEQ),
      );
    } else if (run.rules.version !== null && run.rules.seq >= seq) {
      return false;
    }
    run.rules = { version: this.projector.version, seq };
    this.statements.run(
      'UPDATE run_head SET rule_version = ?, rule_seq = ? WHERE run = ?',
      run.rules.version,
      run.rules.seq,
      run.id,
    );
    return true;
  }

  /** Verdicts of other rules are stored: once they are dropped every label of the run must be looked at again. */
  isOtherVersion({ rules }: OpenRun): boolean {
    return rules.version !== null && rules.version !== this.projector.version;
  }

  private replay(run: OpenRun, from: number, to: number): RuleVerdictRow[] {
    const verdicts: RuleVerdictRow[] = [];
    for (let next = from; next <= to; ) {
      const events = this.log.read(run, next, to, BATCH);
      for (const event of events) {
        const live = event.seq === 1 ? this.start(run, event) : this.live.get(run.ulid);
        if (live !== undefined) {
          verdicts.push(...live.fold.apply(event));
          live.seq = event.seq;
        }
      }
      if (events.length === 0) {
        return verdicts;
      }
      next += events.length;
    }
    return verdicts;
  }

  private start(run: OpenRun, created: RunEvent): LiveFold {
    const live = { fold: this.projector.start(created), seq: 0 };
    this.live.set(run.ulid, live);
    return live;
  }
}
