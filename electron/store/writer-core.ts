import type { AnnotationEntry, AnnotationOp, AnnotationTarget, Author } from '@shared/annotations';
import { WaymarkError } from '@shared/errors';
import type { NewEvent } from '@shared/events';
import type { OutboxEntry, OutboxOp } from '@shared/outbox';
import { ulid } from 'ulid';
import { AnnotationLog, type NewAnnotation, parseAnnotation } from './annotation-log';
import type { SessionChunk, StoredTask, StoreNotice, StoreWriter } from './api';
import { BlobStore } from './blob-store';
import { type Db, storeFailure } from './database';
import { DiskGuard } from './disk-guard';
import { ForeignCommits } from './foreign-commits';
import { GroupCommit, type Job } from './group-commit';
import { rowSum } from './hashing';
import { LabelWork } from './label-work';
import { OutboxLog, parseOutboxOp } from './outbox-log';
import { Statements } from './rows';
import { RuleCatchUp } from './rule-catch-up';
import { RuleFolds } from './rule-folds';
import { noRun, type OpenRun, type PreparedEvent, RunLog } from './run-log';
import { RunProjection } from './run-projection';
import { RunRemoval } from './run-removal';
import { type PendingChunk, SessionLog } from './session-log';
import type { StepProjector } from './step-projector';

export interface WriterOptions {
  folder: string;
  /** Identity of this installation: annotation entries carry it. */
  device: string;
  now: () => number;
  projector: StepProjector;
  /** Size of the file that keeps room for a clean stop on a full disk; 0 = none. */
  ballastBytes: number;
  notify(notice: StoreNotice): void;
}

/** No write transaction is meant to be open longer, ms. */
export const TRANSACTION_BUDGET_MS = 15;

/** The writing connection and everything that goes through it. Lives in the writer's thread. */
export class WriterCore implements Omit<StoreWriter, 'backup'> {
  readonly statements: Statements;
  private readonly group: GroupCommit;
  private readonly log: RunLog;
  private readonly projection: RunProjection;
  private readonly outbox: OutboxLog;
  private readonly annotations: AnnotationLog;
  private readonly sessions: SessionLog;
  private readonly rules: RuleFolds;
  private readonly catchUp: RuleCatchUp;
  private readonly labelWork: LabelWork;
  private readonly removal: RunRemoval;
  private readonly disk: DiskGuard;
  private readonly foreign: ForeignCommits;
  private readonly runs = new Map<string, OpenRun>();
  private readonly touched = new Set<string>();
  private unfinished: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: Db,
    private readonly options: WriterOptions,
  ) {
    const { folder, notify } = options;
    this.statements = new Statements(db);
    const blobs = new BlobStore(this.statements, folder);
    this.log = new RunLog(this.statements, blobs, options.now);
    this.projection = new RunProjection(this.statements);
    this.outbox = new OutboxLog(this.statements, this.projection.hints);
    this.annotations = new AnnotationLog(this.statements, this.projection.labels.ranges);
    this.sessions = new SessionLog(this.statements, folder);
    this.rules = new RuleFolds(this.statements, this.log, options.projector);
    this.disk = new DiskGuard(db, folder, options.ballastBytes, notify);
    this.foreign = new ForeignCommits(this.statements, this.log, notify);
    this.group = new GroupCommit(db, {
      budgetMs: TRANSACTION_BUDGET_MS,
      failed: (thrown) => this.failed(thrown),
      rolledBack: () => this.rolledBack(),
      beforeBegin: () => this.sessions.sync(),
      committed: () => {
        this.touched.clear();
        this.sessions.committed();
      },
    });
    this.labelWork = new LabelWork(this.statements, this.projection, this.group);
    this.catchUp = new RuleCatchUp(this.statements, this.rules, this.projection, this.group, {
      load: (run) => this.openRun(run),
      relabelled: (run, from, to) => notify({ kind: 'labels', run, from, to }),
    });
    this.removal = new RunRemoval(this.statements, this.log, this.projection, this.group, options);
  }

  /** Finishes what an earlier process left half done, then watches for commits of others. */
  start(): void {
    this.foreign.start();
    this.disk.start();
    this.catchUp.start();
    this.unfinished = this.resume();
  }

  private async resume(): Promise<void> {
    try {
      await this.labelWork.resume();
      await this.removal.resume();
    } catch (thrown) {
      // Told by `failed`; the work is written down and taken up at the next start.
      if (!(thrown instanceof WaymarkError)) {
        throw thrown;
      }
    }
  }

  append(run: string, epoch: number, events: NewEvent[]): Promise<{ seq: number }> {
    return this.appendWhen(run, epoch, events, () => true).then(({ seq }) => ({ seq }));
  }

  appendIfOutboxAt(
    run: string,
    epoch: number,
    outboxHead: number,
    events: NewEvent[],
  ): Promise<{ raced: boolean; seq: number }> {
    return this.appendWhen(run, epoch, events, (open) => this.outbox.head(open.id) <= outboxHead);
  }

  post(run: string, author: Author, op: OutboxOp): Promise<OutboxEntry> {
    let parsed: OutboxOp;
    return this.write({
      prepare: () => {
        parsed = parseOutboxOp(op);
      },
      run: () => {
        const { id } = this.openRun(run);
        return this.outbox.append(id, {
          ulid: ulid(),
          run,
          at: this.stamp(),
          author: author.name,
          body: parsed,
        });
      },
      committed: (entry) => {
        this.foreign.seenOutbox(entry.id);
        this.options.notify({ kind: 'outbox', run, head: entry.id });
      },
    });
  }

  annotate(author: Author, target: AnnotationTarget, op: AnnotationOp): Promise<AnnotationEntry> {
    let entry: NewAnnotation;
    const wide = target.to - target.from > 200;
    const make = () => {
      const run = this.openRun(target.run);
      const parsed = parseAnnotation(target, op, run.state.steps);
      const supersedes = this.annotations.headsOn(run.id, parsed.target);
      entry = this.newAnnotation(author, parsed.target, supersedes, parsed.op);
    };
    // The heads of a long range are read before the transaction; it then stays alone in it.
    const early = wide ? { prepare: make, alone: true } : {};
    return this.annotateWith(target.run, early, () => {
      if (!wide) {
        make();
      }
      return entry;
    }).then((stored) => stored ?? Promise.reject(noRun(target.run)));
  }

  async undo(
    run: string,
    author: Author,
  ): Promise<{ entry: AnnotationEntry; undid: AnnotationEntry } | null> {
    const found: { undid: AnnotationEntry | null } = { undid: null };
    const entry = await this.annotateWith(run, {}, ({ id }) => {
      const undid = this.annotations.undoable(id, author.uuid, this.options.device);
      found.undid = undid;
      return undid && this.newAnnotation(author, undid.target, [], { op: 'undo', entry: undid.ulid });
    });
    return entry !== null && found.undid !== null ? { entry, undid: found.undid } : null;
  }

  async redo(
    run: string,
    author: Author,
  ): Promise<{ entry: AnnotationEntry; redid: AnnotationEntry } | null> {
    const found: { redid: AnnotationEntry | null } = { redid: null };
    const entry = await this.annotateWith(run, {}, ({ id }) => {
      const open = this.annotations.redoable(id, author.uuid, this.options.device);
      found.redid = open?.restores ?? null;
      return open && this.newAnnotation(author, open.undo.target, [], { op: 'undo', entry: open.undo.ulid });
    });
    return entry !== null && found.redid !== null ? { entry, redid: found.redid } : null;
  }

  sessionBytes(run: string, uid: string, chunk: SessionChunk): Promise<void> {
    let pending: PendingChunk | null = null;
    return this.write({
      prepare: () => {
        pending = this.sessions.write(run, this.openRun(run).id, uid, chunk);
      },
      run: () => {
        if (pending !== null) {
          this.sessions.store(pending);
        }
      },
      committed: () => {
        if (pending !== null) {
          this.options.notify({ kind: 'session', run, uid, endOffset: pending.end });
        }
      },
    });
  }

  async remove(run: string, mode: 'run' | 'text', author: Author): Promise<void> {
    this.disk.check();
    await this.removal.remove(this.openRun(run), mode, author);
    this.forgetRun(run);
    this.options.notify({ kind: 'foreign' });
  }

  createTask(task: StoredTask): Promise<void> {
    return this.write({
      run: () => {
        const { id, title, domain, hash, folder } = task;
        const row = [
          id,
          title,
          domain,
          hash,
          folder,
          JSON.stringify(task.spec),
          Math.round(task.addedAt),
        ] as const;
        this.statements.run(
          'INSERT OR REPLACE INTO task (id, title, domain, hash, folder, spec, added_at, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
          ...row,
          rowSum(...row),
        );
      },
    });
  }

  /** Resolves when every write asked for so far is durable. */
  async drain(): Promise<void> {
    await this.unfinished;
    await this.catchUp.idle();
    await this.group.drain();
  }

  async close(): Promise<void> {
    this.foreign.stop();
    this.disk.stop();
    this.catchUp.stop();
    await this.group.drain();
    this.sessions.close();
    this.db.close();
  }

  private appendWhen(
    run: string,
    epoch: number,
    events: NewEvent[],
    allowed: (open: OpenRun) => boolean,
  ): Promise<{ raced: boolean; seq: number }> {
    let prepared: PreparedEvent[];
    let notice: StoreNotice | null = null;
    return this.write({
      prepare: () => {
        prepared = this.log.prepare(events);
        const open = this.runs.get(run) ?? this.tryLoad(run);
        if (open !== undefined) {
          this.rules.warm(open);
        }
      },
      run: () => {
        const open = this.currentRun(run, events[0]);
        if (!allowed(open)) {
          return { raced: true, seq: open.seq };
        }
        this.touched.add(run);
        const stored = this.log.insert(open, epoch, prepared);
        const verdicts = this.rules.apply(open, stored);
        this.projection.apply(open.id, open.state, stored, verdicts ?? []);
        this.log.writeHead(open);
        if (verdicts === null) {
          this.catchUp.want(run);
        }
        notice = { kind: 'run', run, seq: open.seq, steps: open.state.steps, events: stored };
        return { raced: false, seq: open.seq };
      },
      committed: ({ seq }) => {
        if (notice !== null) {
          this.foreign.seenRun(run, seq);
          this.options.notify(notice);
        }
      },
    });
  }

  private async annotateWith(
    run: string,
    early: { prepare?: () => void; alone?: boolean },
    make: (open: OpenRun) => NewAnnotation | null,
  ): Promise<AnnotationEntry | null> {
    const stored = await this.write({
      ...early,
      run: () => {
        const open = this.openRun(run);
        const entry = make(open);
        if (entry === null) {
          return null;
        }
        const annotation = this.annotations.append(open.id, entry);
        return { entry: annotation, work: this.labelWork.begin(open.id, entry.target.from, entry.target.to) };
      },
      committed: (done) => {
        if (done !== null) {
          this.foreign.seenAnnotation(done.entry.ulid);
        }
      },
    });
    if (stored === null) {
      return null;
    }
    await this.labelWork.finish(stored.work);
    const { from, to } = stored.entry.target;
    this.options.notify({ kind: 'labels', run, from, to });
    return stored.entry;
  }

  private write<T>(job: Job<T>): Promise<T> {
    return this.group.add<T>({
      ...job,
      prepare: () => {
        this.disk.check();
        job.prepare?.();
      },
    });
  }

  /** Throws `not_found`. The object may be behind the file; only `currentRun` is safe to append to. */
  private openRun(run: string): OpenRun {
    return this.currentRun(run, undefined);
  }

  private currentRun(run: string, first: NewEvent | undefined): OpenRun {
    const known = this.runs.get(run);
    if (known !== undefined && this.log.isCurrent(known)) {
      return known;
    }
    const open = this.tryLoad(run) ?? this.log.create(run, first);
    this.runs.set(run, open);
    if (known !== undefined) {
      this.rules.forget(run);
    }
    return open;
  }

  private tryLoad(run: string): OpenRun | undefined {
    const known = this.statements.get(
      'SELECT 1 FROM run r JOIN run_head h ON h.run = r.id WHERE r.ulid = ?',
      run,
    );
    return known === undefined ? undefined : this.log.load(run);
  }

  private newAnnotation(
    author: Author,
    target: AnnotationTarget,
    supersedes: string[],
    body: AnnotationOp,
  ): NewAnnotation {
    return { ulid: ulid(), at: this.stamp(), author, device: this.options.device, target, supersedes, body };
  }

  private failed(thrown: unknown): unknown {
    const failure = storeFailure(thrown, `the workspace ${this.options.folder}`);
    this.disk.noticed(thrown, failure);
    return failure;
  }

  private rolledBack(): void {
    for (const run of this.touched) {
      this.forgetRun(run);
    }
    this.touched.clear();
    this.sessions.rolledBack();
  }

  private forgetRun(run: string): void {
    this.runs.delete(run);
    this.rules.forget(run);
    this.sessions.forgetRun(run);
  }

  private stamp(): number {
    return Math.round(this.options.now());
  }
}
