import type { GroupCommit } from './group-commit';
import type { Statements } from './rows';
import type { RuleFolds } from './rule-folds';
import type { OpenRun } from './run-log';
import type { RunProjection } from './run-projection';

interface CatchUpOptions {
  load(run: string): OpenRun;
  relabelled(run: string, from: number, to: number): void;
  /** Work that nobody waits for was stopped by a full disk or a damaged file; throws what is a bug. */
  failed(thrown: unknown): void;
}

/** Derives rule verdicts in the background: of runs whose rules changed and of long runs that are resumed. */
export class RuleCatchUp {
  private readonly wanted = new Set<string>();
  private working: Promise<void> | null = null;
  private stopped = false;

  constructor(
    private readonly statements: Statements,
    private readonly rules: RuleFolds,
    private readonly projection: RunProjection,
    private readonly group: GroupCommit,
    private readonly options: CatchUpOptions,
  ) {}

  /** Looks for runs whose verdicts are missing or of another version. Removed and emptied runs stay as they are. */
  start(): void {
    const rows = this.statements.all<{ ulid: string; seq: number; version: string | null; rule_seq: number }>(
      `SELECT r.ulid, h.seq, h.rule_version AS version, h.rule_seq FROM run r JOIN run_head h ON h.run = r.id
       WHERE NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.run = r.id) ORDER BY r.id DESC`,
    );
    for (const { ulid, seq, version, rule_seq } of rows) {
      if (!this.rules.isStored({ rules: { version, seq: rule_seq }, seq })) {
        this.want(ulid);
      }
    }
  }

  want(run: string): void {
    this.wanted.add(run);
    this.working ??= this.work();
  }

  async idle(): Promise<void> {
    await this.working;
  }

  stop(): void {
    this.stopped = true;
  }

  private async work(): Promise<void> {
    try {
      for (const run of this.wanted) {
        if (!this.stopped) {
          await this.catchUp(run);
        }
        this.wanted.delete(run);
      }
    } catch (thrown) {
      // What is wanted is taken up again at the next append or start.
      this.options.failed(thrown);
    } finally {
      this.working = null;
    }
  }

  private async catchUp(run: string): Promise<void> {
    let first = Number.POSITIVE_INFINITY;
    let last = 0;
    const all = this.rules.isOtherVersion(this.options.load(run));
    while (!this.stopped) {
      const open = this.options.load(run);
      const batch = this.rules.nextBatch(open);
      if (batch === null) {
        break;
      }
      const steps = await this.group.add({
        run: () => {
          if (!this.rules.advance(this.options.load(run), batch.seq)) {
            return new Set<number>();
          }
          const changed = this.projection.writeVerdicts(open.id, batch.verdicts);
          for (const step of changed) {
            this.projection.labels.refresh(open.id, step);
          }
          this.projection.refreshTiles(open.id, changed, open.state.steps);
          return changed;
        },
      });
      for (const step of steps) {
        first = Math.min(first, step);
        last = Math.max(last, step);
      }
    }
    if (this.stopped) {
      return;
    }
    const { id, state } = this.options.load(run);
    if (all) {
      await this.renewAll(id, state.steps);
      this.options.relabelled(run, 1, Math.max(1, state.steps));
    } else if (last > 0) {
      this.options.relabelled(run, first, last);
    }
  }

  /** Labels that rested on verdicts of the old version only. */
  private async renewAll(run: number, steps: number): Promise<void> {
    for (let from = 1; from <= steps; from += 1000) {
      const to = Math.min(steps, from + 999);
      await this.group.add({
        run: () => {
          this.projection.labels.refreshRange(run, from, to);
          this.projection.refreshTileRange(run, from, to, steps);
        },
      });
    }
  }
}
