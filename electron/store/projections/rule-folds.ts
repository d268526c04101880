import type { RuleSettings } from '@shared/contract/rules/rule-settings';
import type { MachinePrecedence } from '@shared/labels/labels';
import type { RunEvent } from '@shared/log/events';
import { LAST_SEQ, rowId, type Statements } from '../file/rows';
import type { OpenRun, RunLog } from '../log/run-log';
import { RuleSettingTable } from './rule-settings';
import type { RulesInForce, RuleVerdictRow, RunRuleFold, StepProjector } from './step-projector';

/** A fold with fewer events behind it is brought up to date inside the append; a longer one in the background. */
const INLINE_EVENTS = 2000;
/** Events per background batch. */
const BATCH = 250;
/** Verdicts dropped in one transaction. */
const DROP = 1000;
/** Runs whose rules are remembered. */
const KNOWN = 2000;

interface LiveFold {
  fold: RunRuleFold;
  version: string;
  /** Events applied so far. */
  seq: number;
}

interface KnownRules {
  /** What of the task's specification rules are chosen by. */
  spec: Record<string, unknown>;
  /** The workspace's setting it was worked out with, as stored. */
  body: string;
  settings: RuleSettings;
  inForce: RulesInForce;
}

/** Verdicts of events `from..to`, to be stored if nothing came between. */
interface RuleBatch {
  from: number;
  to: number;
  version: string;
  verdicts: RuleVerdictRow[];
}

/** The rule folds of the runs this process writes, and how far their verdicts are stored. */
export class RuleFolds {
  private readonly live = new Map<string, LiveFold>();
  private readonly known = new Map<string, KnownRules>();
  private readonly settings: RuleSettingTable;

  constructor(
    private readonly statements: Statements,
    private readonly log: RunLog,
    private readonly projector: StepProjector,
  ) {
    this.settings = new RuleSettingTable(statements);
  }

  forget(run: string): void {
    this.live.delete(run);
  }

  /** This process has written what the workspace says about rules, or a transaction was rolled back. */
  forgetSettings(): void {
    this.settings.forget();
  }

  /** Outside the transaction: replays a short run, so that `apply` can go on from its head. */
  warm(run: OpenRun): void {
    if (run.seq === 0 || run.seq > INLINE_EVENTS) {
      return;
    }
    const live = this.live.get(run.ulid);
    const ready = live?.seq === run.seq && live.version === run.rules.version;
    // Looked at first: reading the rules in force costs a transaction of its own.
    if (!ready && this.isStored(run)) {
      this.replay(run, 1, run.seq);
    }
  }

  /** Verdicts of freshly inserted events; null when the fold is behind and must catch up first. `version`: as `RuleSettingTable.of`. */
  apply(run: OpenRun, events: readonly RunEvent[], version: unknown): RuleVerdictRow[] | null {
    const first = events[0];
    if (first === undefined) {
      return [];
    }
    const { inForce } = this.rulesOf(run, first, version);
    const live = first.seq === 1 ? this.start(run, first) : this.live.get(run.ulid);
    const stored =
      first.seq === 1 || (run.rules.version === inForce.version && run.rules.seq === first.seq - 1);
    if (live?.version !== inForce.version || live.seq !== first.seq - 1 || !stored) {
      return null;
    }
    const verdicts: RuleVerdictRow[] = [];
    for (const event of events) verdicts.push(...live.fold.apply(event));
    live.seq = run.seq;
    run.rules = { ...inForce, seq: run.seq };
    return verdicts;
  }

  /** Whether stored verdicts are of the rules in force and reach the head. */
  isStored(run: Pick<OpenRun, 'id' | 'ulid' | 'facts' | 'rules' | 'seq'>): boolean {
    return run.rules.seq >= run.seq && this.isOfRulesInForce(run);
  }

  isOfRulesInForce(run: Pick<OpenRun, 'id' | 'ulid' | 'seq' | 'facts' | 'rules'>): boolean {
    return run.rules.version === this.rulesOf(run).inForce.version;
  }

  /** Reads a page of events, to see that it can be: verdicts are dropped only where they can be derived again. The last one read. */
  readable(run: OpenRun, from: number): number {
    return this.log.read(run, from, run.seq, BATCH).at(-1)?.seq ?? run.seq;
  }

  /**
   * In a transaction: drops some of the verdicts of other rules. True when none is left; the run's labels are stale
   * until all of them have been looked at again.
   */
  dropSome(run: OpenRun): boolean {
    const { changes } = this.statements.run(
      `DELETE FROM rule_mark WHERE (step, rule) IN
       (SELECT step, rule FROM rule_mark WHERE step BETWEEN ? AND ? LIMIT ${DROP})`,
      rowId(run.id, 0),
      rowId(run.id, LAST_SEQ),
    );
    const { inForce } = this.rulesOf(run);
    const done = changes < DROP;
    this.forget(run.ulid);
    this.mark(run, done ? inForce.version : null, 0, inForce.precedence);
    return done;
  }

  /** Applies the next batch to the fold. Null when the fold is at the head and its verdicts are stored. */
  nextBatch(run: OpenRun): RuleBatch | null {
    const { inForce } = this.rulesOf(run);
    if (this.isStored(run)) {
      return null;
    }
    const live = this.live.get(run.ulid);
    if (live !== undefined && (live.version !== inForce.version || live.seq >= run.seq)) {
      this.forget(run.ulid);
    }
    const done = this.live.get(run.ulid)?.seq ?? 0;
    const to = Math.min(run.seq, done + BATCH);
    return { from: done + 1, to, version: inForce.version, verdicts: this.replay(run, done + 1, to) };
  }

  /** In a transaction: stores how far a batch came. False when its verdicts must not be stored. */
  advance(run: OpenRun, { from, to, version }: RuleBatch): boolean {
    const { inForce } = this.rulesOf(run);
    if (inForce.version !== version || run.rules.version !== version || run.rules.seq < from - 1) {
      // Somebody has changed the rules, or another process has begun again, in between.
      this.forget(run.ulid);
      return false;
    }
    if (run.rules.seq >= to) {
      return false;
    }
    this.mark(run, version, to, inForce.precedence);
    return true;
  }

  private mark(run: OpenRun, version: string | null, seq: number, precedence: MachinePrecedence): void {
    run.rules = { version, seq, precedence };
    this.statements.run(
      'UPDATE run_head SET rule_version = ?, rule_seq = ?, precedence = ? WHERE run = ?',
      version,
      seq,
      precedence,
      run.id,
    );
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
    const { settings, inForce } = this.rulesOf(run, created);
    const live = { fold: this.projector.start(created, settings), version: inForce.version, seq: 0 };
    this.live.set(run.ulid, live);
    return live;
  }

  /** The rules in force now: the task's word is pinned in the run, the workspace's is looked up. */
  private rulesOf(
    run: Pick<OpenRun, 'id' | 'ulid' | 'seq' | 'facts'>,
    event?: RunEvent,
    version?: unknown,
  ): KnownRules {
    const { settings, body } = this.settings.of(run.facts.task.id, version);
    const known = this.known.get(run.ulid);
    if (known !== undefined && known.body === body) {
      return known;
    }
    const created = event?.kind === 'run.created' ? event : this.log.read(run, 1, 1, 1)[0];
    const spec =
      known?.spec ?? (created?.kind === 'run.created' ? this.projector.wordsOf(created.body.spec) : {});
    const rules = { spec, body, settings, inForce: this.projector.inForce(spec, settings) };
    if (this.known.size >= KNOWN) {
      this.known.clear();
    }
    this.known.set(run.ulid, rules);
    return rules;
  }
}
