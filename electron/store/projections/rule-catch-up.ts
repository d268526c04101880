import { WaymarkError } from '@shared/contract/errors';
import type { Statements } from '../file/rows';
import type { GroupCommit } from '../log/group-commit';
import { isRemoved } from '../log/removed-run';
import type { OpenRun } from '../log/run-log';
import { unreadableRun } from '../log/unreadable-run';
import type { StoreNotice } from '../notices';
import type { LabelWork, PendingLabels } from './label-work';
import type { RuleFolds } from './rule-folds';
import type { RunProjection } from './run-projection';

/**
 * So often in a row a transaction of this work is tried when the file is locked; each time it has waited 5 s. Another process that
 * catches up with the same rules commits part after part, and SQLite gives the lock to whoever asks at the right moment.
 */
const LOCKED_TRIES = 12;

interface CatchUpOptions {
  load(run: string): OpenRun;
  relabelled(run: string, from: number, to: number): void;
  told(notice: StoreNotice): void;
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
    private readonly labelWork: LabelWork,
    private readonly options: CatchUpOptions,
  ) {}

  /** Looks at every run, or those of one task: verdicts may be missing or of other rules. Removed and emptied ones stay as they are. */
  start(task?: string): void {
    const rows = this.statements.all<{ ulid: string }>(
      `SELECT r.ulid FROM run r JOIN run_head h ON h.run = r.id
       WHERE NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.run = r.id)
         AND (? IS NULL OR json_extract(h.facts, '$.task.id') = ?) ORDER BY r.id DESC`,
      task ?? null,
      task ?? null,
    );
    for (const { ulid } of rows) {
      this.want(ulid);
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
        this.wanted.delete(run);
        // Many runs may only have to be looked at: others get their turn in between.
        await new Promise((resolve) => setImmediate(resolve));
        if (!this.stopped) {
          await this.tryCatchUp(run);
        }
      }
    } catch (thrown) {
      // What is wanted is taken up again at the next append or start.
      this.options.failed(thrown);
    } finally {
      this.working = null;
    }
  }

  /** A run that cannot be read keeps the verdicts it has, and one that is removed needs none; the others have their turn. */
  private async tryCatchUp(run: string): Promise<void> {
    try {
      await this.catchUp(run);
    } catch (thrown) {
      if (thrown instanceof WaymarkError && this.isGone(run)) return;
      const notice = unreadableRun(run, thrown);
      if (notice === null) throw thrown;
      this.options.told(notice);
    }
  }

  private async catchUp(run: string): Promise<void> {
    let first = Number.POSITIVE_INFINITY;
    let last = 0;
    const stale: PendingLabels[] = [];
    let readable = 0;
    while (!this.stopped && !this.isGone(run)) {
      const open = this.options.load(run);
      if (!this.rules.isOfRulesInForce(open)) {
        if (readable < open.seq) {
          readable = this.rules.readable(open, readable + 1);
          await new Promise((resolve) => setImmediate(resolve));
          continue;
        }
        const work = await this.drop(run, readable);
        if (work !== null) stale.push(work);
        continue;
      }
      const batch = this.rules.nextBatch(open);
      if (batch === null) {
        break;
      }
      const steps = await this.patiently(() =>
        this.group.add({
          run: () => {
            if (this.isGone(run) || !this.rules.advance(this.options.load(run), batch)) {
              return new Set<number>();
            }
            const changed = this.projection.writeVerdicts(open.id, batch.verdicts);
            for (const step of changed) {
              this.projection.labels.refresh(open.id, step);
            }
            this.projection.refreshTiles(open.id, changed, open.state.steps);
            return changed;
          },
        }),
      );
      for (const step of steps) {
        first = Math.min(first, step);
        last = Math.max(last, step);
      }
    }
    if (this.stopped || this.isGone(run)) {
      return;
    }
    const { state } = this.options.load(run);
    if (stale.length > 0) {
      for (const work of stale) {
        await this.patiently(() => this.labelWork.finish(work));
      }
      this.options.relabelled(run, 1, Math.max(1, state.steps));
    } else if (last > 0) {
      this.options.relabelled(run, first, last);
    }
  }

  /**
   * Verdicts of other rules go. Which labels rested on them alone is written down with each part: they are renewed at the end,
   * by whichever process gets there. Ends early when events came after `readable`: they may be of the kind that cannot be read.
   */
  private async drop(run: string, readable: number): Promise<PendingLabels | null> {
    let stale: PendingLabels | null = null;
    for (let done = false; !done && !this.stopped; ) {
      done = await this.patiently(() =>
        this.group.add({
          // It goes on from the work that it wrote down last, so it is not run again for the sake of others.
          alone: true,
          run: () => {
            if (this.isGone(run)) return true;
            const open = this.options.load(run);
            if (this.rules.isOfRulesInForce(open) || open.seq > readable) {
              return true;
            }
            if (open.state.steps > 0) {
              stale = this.labelWork.postponeAgain(stale, open.id, [{ from: 1, to: open.state.steps }]);
            }
            return this.rules.dropSome(open);
          },
        }),
      );
    }
    return stale;
  }

  private isGone(run: string): boolean {
    const row = this.statements.get<{ id: number }>('SELECT id FROM run WHERE ulid = ?', run);
    return row === undefined || isRemoved(this.statements, row.id);
  }

  /** Tries again what found the file locked: nothing of it was begun, and nobody else would come back to it before the next start. */
  private async patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (thrown) {
        const locked = thrown instanceof WaymarkError && thrown.code === 'workspace_locked';
        if (!locked || tries === LOCKED_TRIES || this.stopped) throw thrown;
      }
    }
  }
}
