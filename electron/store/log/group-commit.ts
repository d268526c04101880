import { WaymarkError } from '@shared/contract/errors';
import type { Db, Statement } from '../file/database';

/** One unit of work; `prepare` runs before the transaction begins, `run` inside it. */
export interface Job<T> {
  /** May change files and memory. Runs again after `abandon` when `run` throws `StalePreparation`. */
  prepare?(): void;
  /** Called again, with what was prepared, when another job of its transaction failed and all of it was rolled back. */
  run(): T;
  /**
   * What `prepare` did, or had done when it threw, comes to nothing: `run` failed, was rolled back, or will not be called.
   * Not called once the job is committed.
   */
  abandon?(): void;
  /** Starts a transaction of its own, so that `prepare` sees everything committed before. */
  alone?: boolean;
  /** After COMMIT, before the caller hears of it. */
  committed?(value: T): void;
}

/** Thrown by a job's `run`: what was prepared rests on rows that have changed since, and has to be prepared again. */
export class StalePreparation extends WaymarkError {}

/** A job is prepared again this often before its caller hears that others were always faster. */
const MAX_TRIES = 20;

interface Waiting {
  job: Job<unknown>;
  check: (() => void) | undefined;
  prepared: boolean;
  /** How often its preparation was stale. */
  stale: number;
  resolve(value: unknown): void;
  reject(thrown: unknown): void;
}

export interface GroupCommitOptions {
  /** No further job enters a transaction that is open for this long, ms. */
  budgetMs: number;
  /** Called with what made a whole group fail (full disk, damaged file); returns what its callers get. */
  failed(thrown: unknown): unknown;
  /** Called when a job or a group was rolled back: state in memory may be ahead of the file. */
  rolledBack(): void;
  /** Called when a group is prepared, before its transaction. */
  beforeBegin(): void;
  /** Called after each COMMIT. */
  committed(): void;
}

/** A caller who asks again right after each answer holds up the event loop for at most this long, ms. */
const TURN_MS = 4;

/**
 * Work that arrives while a transaction commits forms the next one; an idle store commits at once. After a
 * transaction with more work waiting there is a pause of 1 ms, or a second writing process would starve.
 */
export class GroupCommit {
  private queue: Waiting[] = [];
  private scheduled = false;
  private closed = false;
  /** When the event loop was last let through. */
  private turned = Number.NEGATIVE_INFINITY;
  private idle: (() => void)[] = [];

  private readonly begin: Statement;
  private readonly end: Statement;
  private readonly save: Statement;
  private readonly release: Statement;

  constructor(
    private readonly db: Db,
    private readonly options: GroupCommitOptions,
  ) {
    this.begin = db.prepare('BEGIN IMMEDIATE');
    this.end = db.prepare('COMMIT');
    this.save = db.prepare('SAVEPOINT job');
    this.release = db.prepare('RELEASE job');
  }

  /** What still waits and what is asked for from now on is refused. */
  close(): void {
    this.closed = true;
    for (const waiting of this.queue.splice(0)) {
      abandon(waiting);
      waiting.reject(closedError());
    }
  }

  /** `check`: called before the job is prepared; what it throws refuses the job. */
  add<T>(job: Job<T>, check?: () => void): Promise<T> {
    if (this.closed) {
      return Promise.reject(closedError());
    }
    return new Promise<T>((resolve, reject) => {
      // What a job's `run` gives is what its own promise is of.
      this.queue.push({
        job,
        check,
        prepared: false,
        stale: 0,
        resolve: resolve as (value: unknown) => void,
        reject,
      });
      this.schedule();
    });
  }

  /** Resolves when nothing waits. */
  drain(): Promise<void> {
    if (this.queue.length === 0) {
      return Promise.resolve();
    }
    return new Promise((resolve) => this.idle.push(resolve));
  }

  /** After what is asked for in the same turn, so that it shares the commit; timers still get their turns. */
  private schedule(): void {
    if (this.scheduled) {
      return;
    }
    this.scheduled = true;
    if (performance.now() - this.turned < TURN_MS) {
      queueMicrotask(() => this.flush());
    } else {
      setImmediate(() => {
        this.turned = performance.now();
        this.flush();
      });
    }
  }

  private flush(): void {
    const group = this.takeGroup();
    const done = group.length === 0 ? [] : this.commit(group);
    for (const finish of done) {
      finish();
    }
    if (this.queue.length > 0) {
      setTimeout(() => this.flush(), 1);
      return;
    }
    this.scheduled = false;
    for (const resolve of this.idle.splice(0)) {
      resolve();
    }
  }

  /** Runs `prepare` of the next jobs for at most the budget; those that fail are rejected here. */
  private takeGroup(): Waiting[] {
    const group: Waiting[] = [];
    const end = performance.now() + this.options.budgetMs;
    for (let next = this.queue[0]; next !== undefined; next = this.queue[0]) {
      if (group.length > 0 && (next.job.alone === true || performance.now() > end)) {
        break;
      }
      this.queue.shift();
      try {
        // A job that a full transaction sent back has its files written already.
        if (!next.prepared) {
          next.prepared = true;
          next.check?.();
          next.job.prepare?.();
        }
        group.push(next);
      } catch (thrown) {
        abandon(next);
        next.reject(this.options.failed(thrown));
      }
      if (next.job.alone === true) {
        break;
      }
    }
    return group;
  }

  /** `apart`: a job that fails is rolled back alone. Few do, and being ready for it costs each of the others a copy of its pages. */
  private commit(group: Waiting[], apart = false): (() => void)[] {
    const done: (() => void)[] = [];
    const stale: Waiting[] = [];
    let entered = 0;
    let running: Waiting | undefined;
    try {
      this.options.beforeBegin();
      this.begin.run();
      const end = performance.now() + this.options.budgetMs;
      for (const waiting of group) {
        if (entered > 0 && performance.now() > end) {
          break;
        }
        entered += 1;
        running = waiting;
        const finish = this.runJob(waiting, apart);
        running = undefined;
        if (finish === null) {
          stale.push(waiting);
        } else {
          done.push(finish);
        }
      }
      this.end.run();
    } catch (thrown) {
      const whole = this.db.inTransaction;
      this.rollBack();
      if (running !== undefined && !apart && (whole || group.length === 1)) {
        return this.commitWithout(running, thrown, group);
      }
      const failure = this.options.failed(thrown);
      for (const waiting of group) {
        abandon(waiting);
      }
      return group.map((waiting) => () => waiting.reject(failure));
    }
    this.queue.unshift(...stale, ...group.slice(entered));
    this.options.committed();
    return done;
  }

  /** After a transaction that one job has spoilt: the others again, in one of their own. */
  private commitWithout(failed: Waiting, thrown: unknown, group: readonly Waiting[]): (() => void)[] {
    const others = group.filter((waiting) => waiting !== failed);
    const refuse = this.refusal(failed, thrown);
    const done = others.length === 0 ? [] : this.commit(others, true);
    if (refuse === null) {
      this.queue.unshift(failed);
      return done;
    }
    return [refuse, ...done];
  }

  /** What tells the caller of a job that failed; null when it has to be prepared again. */
  private refusal(waiting: Waiting, thrown: unknown): (() => void) | null {
    if (this.sendBack(waiting, thrown)) {
      return null;
    }
    abandon(waiting);
    const failure = this.options.failed(thrown);
    return () => waiting.reject(failure);
  }

  /**
   * With `apart` a job that fails is rolled back alone; only a failure of the file itself fails the group. Null when it has to
   * be prepared again.
   */
  private runJob(waiting: Waiting, apart: boolean): (() => void) | null {
    const { job, resolve } = waiting;
    if (apart) {
      this.save.run();
    }
    try {
      const value = job.run();
      if (apart) {
        this.release.run();
      }
      return () => {
        job.committed?.(value);
        resolve(value);
      };
    } catch (thrown) {
      if (!apart || !this.db.inTransaction) {
        throw thrown;
      }
      this.db.exec('ROLLBACK TO job');
      this.db.exec('RELEASE job');
      this.options.rolledBack();
      return this.refusal(waiting, thrown);
    }
  }

  /** Whether the job is to be prepared again; nothing that it had prepared is left then. */
  private sendBack(waiting: Waiting, thrown: unknown): boolean {
    if (!(thrown instanceof StalePreparation) || waiting.stale >= MAX_TRIES) {
      return false;
    }
    waiting.stale += 1;
    abandon(waiting);
    return true;
  }

  private rollBack(): void {
    if (this.db.inTransaction) {
      this.db.exec('ROLLBACK');
    }
    this.options.rolledBack();
  }
}

function abandon(waiting: Waiting): void {
  if (waiting.prepared) {
    waiting.prepared = false;
    waiting.job.abandon?.();
  }
}

function closedError(): WaymarkError {
  return new WaymarkError('cancelled', 'The workspace is closed.');
}
