import { WaymarkError } from '@shared/contract/errors';
import type { MergeReport } from '@shared/contract/ipc/merge';
import type { RuleSettings } from '@shared/contract/rules/rule-settings';
import type { TimedDecision } from '@shared/labels/review/pace';
import type { Author } from '@shared/log/annotations';
import type { DatedEvent, NewEvent } from '@shared/log/events';
import type { OutboxEntry, OutboxOp } from '@shared/log/outbox';
import { newUlid } from '../../base/new-ulid';
import { BlobStore } from '../file/blob-store';
import type { Db } from '../file/database';
import { DiskGuard } from '../file/disk-guard';
import { Statements } from '../file/rows';
import type { OpenForeignLog } from '../log/checked-log';
import { DwellLog } from '../log/dwell-log';
import { ForeignCommits } from '../log/foreign-commits';
import { GroupCommit, type Job } from '../log/group-commit';
import { rowSum } from '../log/hashing';
import { OpenRuns } from '../log/open-runs';
import { OutboxLog, parseOutboxOp, refuseEnded } from '../log/outbox-log';
import { RunAppends } from '../log/run-appends';
import { type OpenRun, RunLog } from '../log/run-log';
import { dismissRetroMask, type Look, SeenLog } from '../log/seen-log';
import type { StoreNotice } from '../notices';
import { BackgroundRenewal } from '../projections/background-renewal';
import { LabelWork } from '../projections/label-work';
import { RuleCatchUp } from '../projections/rule-catch-up';
import { RuleFolds } from '../projections/rule-folds';
import { writeRuleSettings } from '../projections/rule-settings';
import { RunProjection } from '../projections/run-projection';
import type { StepProjector } from '../projections/step-projector';
import { type PendingChunk, SessionLog } from '../sessions/session-log';
import type { StoredChunk, StoredTask } from '../values';
import { AnnotationDesk } from './annotation-desk';
import { BatchDesk } from './batch-desk';
import { RunRemoval } from './run-removal';

export interface WriterOptions {
  folder: string;
  /** Identity of this installation in this workspace: annotation entries carry it. */
  device: string;
  /** Identities it had here before, when the file was another one; their entries can still be undone. */
  earlierDevices?: readonly string[];
  now: () => number;
  projector: StepProjector;
  /** Size of the file that keeps room for a clean stop on a full disk; 0 = none. */
  ballastBytes: number;
  /** Size at which a part file of session bytes is sealed; default 16 MB. */
  partBytes?: number | undefined;
  /** Nothing but what is derived is written; whoever is let at the core refuses the rest (`readOnlyWriter`). */
  readOnly?: boolean | undefined;
  /** Reads another annotation log; default: in this thread. */
  openLog?: OpenForeignLog;
  notify(notice: StoreNotice): void;
}

/** No write transaction is meant to be open longer, ms. */
export const TRANSACTION_BUDGET_MS = 15;

/** The writing connection and everything that goes through it. Lives in the writer's thread. */
export class WriterCore {
  readonly statements: Statements;
  private readonly group: GroupCommit;
  private readonly log: RunLog;
  private readonly projection: RunProjection;
  private readonly outbox: OutboxLog;
  /** Labels, their undo, and what a merge brings. */
  readonly annotations: AnnotationDesk;
  /** What judges were asked. */
  readonly batches: BatchDesk;
  private readonly sessions: SessionLog;
  private readonly seen: SeenLog;
  private readonly dwell: DwellLog;
  private readonly rules: RuleFolds;
  private readonly catchUp: RuleCatchUp;
  private readonly renewal: BackgroundRenewal;
  private readonly appends: RunAppends;
  private readonly labelWork: LabelWork;
  private readonly removal: RunRemoval;
  private readonly disk: DiskGuard;
  private readonly foreign: ForeignCommits;
  private readonly runs: OpenRuns;
  private readonly hasRoom = () => this.disk.check();
  private started = false;
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
    this.sessions = new SessionLog(this.statements, { workspace: folder, partBytes: options.partBytes });
    this.seen = new SeenLog(this.statements);
    this.dwell = new DwellLog(this.statements);
    this.rules = new RuleFolds(this.statements, this.log, options.projector);
    this.runs = new OpenRuns(this.statements, this.log, this.rules);
    this.disk = new DiskGuard(db, folder, options.ballastBytes, notify);
    this.foreign = new ForeignCommits(this.statements, this.log, notify, {
      failed: (thrown) => this.unattended(thrown),
      rulesChanged: (task) => this.catchUp.start(task),
    });
    this.group = new GroupCommit(db, {
      budgetMs: TRANSACTION_BUDGET_MS,
      failed: (thrown) => this.disk.failed(thrown),
      rolledBack: () => this.rolledBack(),
      beforeBegin: () => {
        this.disk.present();
        this.sessions.sync();
      },
      committed: () => {
        this.disk.stored();
        this.runs.committed();
      },
    });
    this.labelWork = new LabelWork(this.statements, this.projection, this.group);
    this.annotations = new AnnotationDesk(
      this.statements,
      this.projection,
      this.runs,
      this.labelWork,
      this.group,
      {
        ...options,
        write: (job) => this.write(job),
        stored: (from, to) => this.foreign.seenAnnotations(from, to),
        relabelled: (run, from, to) => notify({ kind: 'labels', run, from, to }),
        failed: (thrown) => this.unattended(thrown),
      },
    );
    this.batches = new BatchDesk(this.statements, this.annotations, {
      now: () => this.stamp(),
      refuseMissing: (run) => void this.runs.current(run),
      write: (job) => this.write(job),
    });
    this.catchUp = new RuleCatchUp(this.statements, this.rules, this.projection, this.group, this.labelWork, {
      load: (run) => this.runs.current(run),
      told: notify,
      relabelled: (run, from, to) => notify({ kind: 'labels', run, from, to }),
      failed: (thrown) => this.unattended(thrown),
    });
    this.renewal = new BackgroundRenewal(
      {
        statements: this.statements,
        blobs,
        projector: options.projector,
        group: this.group,
        labels: this.labelWork,
        renewed: (run) => {
          this.runs.forget(run);
          notify({ kind: 'foreign' });
        },
        progress: (run, done, of) => notify({ kind: 'rebuild', run, done, of }),
      },
      (thrown) => this.unattended(thrown),
      notify,
    );
    this.appends = new RunAppends({
      log: this.log,
      runs: this.runs,
      rules: this.rules,
      catchUp: this.catchUp,
      projection: this.projection,
      sessions: this.sessions,
      renewal: this.renewal,
      write: (job) => this.write(job),
      stored: (notice, version) => {
        this.foreign.seenRun(notice.run, notice.seq);
        notify(notice);
        this.annotations.appeared(notice.run, notice.steps, version);
      },
    });
    const making = { ...options, makeRoom: () => this.disk.refuse() };
    this.removal = new RunRemoval(this.statements, this.log, this.projection, this.group, making);
  }

  /** Finishes what an earlier process left half done, then watches for commits of others. */
  start(ballastReleased = 0): void {
    if (this.started) return;
    this.started = true;
    this.foreign.start();
    this.renewal.start();
    this.catchUp.start();
    if (this.readOnly) return;
    this.disk.start(ballastReleased);
    this.annotations.start();
    this.unfinished = this.resume();
  }

  private async resume(): Promise<void> {
    for (const work of [this.labelWork, this.removal]) {
      try {
        await work.resume();
      } catch (thrown) {
        // The work is written down and taken up at the next start.
        this.unattended(thrown);
      }
    }
  }

  get readOnly(): boolean {
    return this.options.readOnly === true;
  }

  append(run: string, epoch: number, events: DatedEvent[], newest?: string | null): Promise<{ seq: number }> {
    return this.appends.append({ run, epoch, events, newest });
  }

  appendIfOutboxAt(
    run: string,
    epoch: number,
    outboxHead: number,
    events: NewEvent[],
  ): Promise<{ raced: boolean; seq: number }> {
    const allowed = (open: OpenRun) => this.outbox.head(open.id) <= outboxHead;
    return this.appends.append({ run, epoch, events, allowed });
  }

  post(run: string, author: Author, op: OutboxOp, chosen?: string): Promise<OutboxEntry> {
    let parsed: OutboxOp;
    // Whoever asks a run to rest must be heard also while new work is refused: it is a small row.
    return this.write({
      evenWhenFull: op.op === 'run.pause' || op.op === 'run.stop',
      prepare: () => {
        parsed = parseOutboxOp(op);
      },
      run: () => {
        const { id, seq, state } = this.runs.current(run);
        const known = chosen === undefined ? null : this.outbox.find(id, chosen);
        if (known !== null) return known;
        if (parsed.op === 'hint.queued') refuseEnded(run, state.status);
        return this.outbox.append(id, {
          ulid: chosen ?? newUlid(),
          run,
          at: this.stamp(),
          author: author.name,
          seq,
          body: parsed,
        });
      },
      committed: (entry) => {
        this.foreign.seenOutbox(entry.id);
        this.options.notify({ kind: 'outbox', run, head: entry.id });
      },
    });
  }

  merge(path: string): Promise<MergeReport> {
    this.disk.check();
    return this.annotations.merge(path);
  }

  sessionBytes(run: string, epoch: number, uid: string, chunk: StoredChunk): Promise<void> {
    let pending: PendingChunk | null = null;
    return this.write({
      prepare: () => {
        pending = this.sessions.write(run, epoch, uid, chunk);
      },
      run: () => {
        if (pending !== null) {
          this.sessions.store(pending);
        }
      },
      abandon: () => {
        if (pending !== null) {
          this.sessions.abandon(pending);
          pending = null;
        }
      },
      committed: () => {
        if (pending !== null) {
          this.sessions.committed(pending);
          this.options.notify({ kind: 'session', run, uid, endOffset: pending.end });
        }
      },
    });
  }

  /** Also on a full disk, since it makes room. */
  async remove(run: string, mode: 'run' | 'text', author: Author): Promise<void> {
    await (mode === 'run' ? this.renewal.over(run) : this.renewal.ready(run));
    await this.removal.remove(this.runs.current(run), mode, author);
    this.forgetRun(run);
    this.options.notify({ kind: 'foreign' });
  }

  clean(): Promise<{ files: number; bytes: number }> {
    return this.removal.files.sweep('listed');
  }

  createTask(task: StoredTask): Promise<void> {
    return this.write({
      run: () => {
        const { id, title, domain, hash, folder } = task;
        const about = [JSON.stringify(task.spec), Math.round(task.addedAt)];
        const row = [id, title, domain, hash, folder, ...about] as const;
        this.statements.run(
          'INSERT OR REPLACE INTO task (id, title, domain, hash, folder, spec, added_at, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
          ...row,
          rowSum(...row),
        );
      },
    });
  }

  async setRules(task: string, settings: RuleSettings | null, author: Author): Promise<void> {
    await this.write({
      run: () => {
        writeRuleSettings(this.statements, task, settings, this.stamp(), author.name);
        this.rules.forgetSettings();
      },
    });
    this.catchUp.start(task);
  }

  keepDwell(author: string, { run, ...decision }: Omit<TimedDecision, 'at'>): Promise<void> {
    return this.write({
      run: () => this.dwell.keep(this.runs.current(run).id, author, { ...decision, at: this.stamp() }),
    });
  }

  see(run: string, author: string, seq: number): Promise<void> {
    return this.write({
      run: () => {
        const open = this.runs.current(run);
        this.seen.mark(open.id, author, Math.min(seq, open.seq), this.stamp());
      },
    });
  }

  look(run: string, author: string, look: Look): Promise<void> {
    return this.write({ run: () => this.seen.look(this.runs.current(run).id, author, look) });
  }

  dismissRetroMask(run: string, hint: string, author: string): Promise<void> {
    return this.write({
      run: () => dismissRetroMask(this.statements, this.runs.current(run).id, hint, author),
    });
  }

  /** Resolves when every write asked for so far is durable. */
  async drain(): Promise<void> {
    await this.unfinished;
    await this.renewal.idle();
    await this.catchUp.idle();
    await this.annotations.idle();
    await this.group.drain();
  }

  async close(): Promise<void> {
    this.stopTimers();
    await this.drain();
    this.halt();
  }

  /** Ends at once, for a workspace that could not be opened whole: what is under way is refused. */
  halt(): void {
    this.stopTimers();
    this.group.close();
    this.sessions.close();
    this.db.close();
  }

  private stopTimers(): void {
    this.foreign.stop();
    this.disk.stop();
    this.catchUp.stop();
    this.renewal.stop();
    this.removal.stop();
  }

  /** Derives everything that is kept about a run from its log again; how many rows were not what the log gives. */
  async rebuild(run: string): Promise<{ changed: number }> {
    this.disk.check();
    const changed = await this.renewal.renew(this.runs.current(run).id, run);
    if (changed === null) throw new WaymarkError('cancelled', 'The workspace is closed.');
    return { changed };
  }

  private write<T>(job: Job<T> & { evenWhenFull?: boolean }): Promise<T> {
    return this.group.add(job, job.evenWhenFull === true ? undefined : this.hasRoom);
  }

  /** Failure of work that no caller waits for: the troubles of disk and file are told, the rest is a bug. */
  private unattended(thrown: unknown): void {
    if (!(this.disk.failed(thrown) instanceof WaymarkError)) {
      throw thrown;
    }
  }

  private rolledBack(): void {
    this.runs.rolledBack();
    this.rules.forgetSettings();
    this.annotations.rolledBack();
  }

  private forgetRun(run: string): void {
    this.runs.forget(run);
    this.sessions.forgetRun(run);
  }

  private stamp(): number {
    return Math.round(this.options.now());
  }
}
