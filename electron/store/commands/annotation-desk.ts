import type { MergeReport } from '@shared/contract/ipc/merge';
import type { AnnotationEntry, AnnotationOp, AnnotationTarget, Author } from '@shared/log/annotations';
import type { Statements } from '../file/rows';
import { AnnotationLog } from '../log/annotation-log';
import type { OpenForeignLog } from '../log/checked-log';
import type { GroupCommit, Job } from '../log/group-commit';
import type { OpenRuns } from '../log/open-runs';
import type { LabelWork } from '../projections/label-work';
import type { RunProjection } from '../projections/run-projection';
import type { Redone, Said, Undone } from '../values';
import { AnnotationWrites } from './annotation-writes';
import { MergeAnnotations } from './merge-annotations';

export interface AnnotationDeskOptions {
  folder: string;
  device: string;
  earlierDevices?: readonly string[];
  now(): number;
  /** Reads another annotation log; default: in this thread. */
  openLog?: OpenForeignLog;
  write<T>(job: Job<T>): Promise<T>;
  /** Right after COMMIT: rows that this process has put into the log. */
  stored(from: number, to: number): void;
  relabelled(run: string, from: number, to: number): void;
  /** Work that nobody waits for was stopped by a full disk or a damaged file; throws what is a bug. */
  failed(thrown: unknown): void;
}

/** Everything that is written into the annotation log: what people and judges say here, and what was said elsewhere. */
export class AnnotationDesk {
  private readonly log: AnnotationLog;
  private readonly writes: AnnotationWrites;
  private readonly merges: MergeAnnotations;

  constructor(
    statements: Statements,
    projection: RunProjection,
    runs: OpenRuns,
    labels: LabelWork,
    group: GroupCommit,
    options: AnnotationDeskOptions,
  ) {
    const { ranges } = projection.labels;
    const settle = projection.settle.bind(projection);
    this.log = new AnnotationLog(
      statements,
      ranges,
      new Set([options.device, ...(options.earlierDevices ?? [])]),
    );
    this.writes = new AnnotationWrites(this.log, runs, labels, {
      ...options,
      write: (job) => options.write(job),
      now: () => options.now(),
      settle: ({ id, state }) => settle(id, state.head),
      stored: (id) => options.stored(id, id),
    });
    this.merges = new MergeAnnotations(statements, ranges, labels, group, {
      ...options,
      open: (run) => runs.find(run),
      settle: ({ id, state }) => settle(id, state.head),
    });
  }

  /** Takes in what was kept aside and has its steps here meanwhile. */
  start(): void {
    this.merges.start();
  }

  annotate(
    author: Author,
    target: AnnotationTarget,
    op: AnnotationOp,
    chosen?: string,
  ): Promise<AnnotationEntry> {
    return this.writes.annotate(author, target, op, chosen);
  }

  annotateEach(author: Author, said: readonly Said[], also?: () => void): Promise<AnnotationEntry[]> {
    return this.writes.annotateEach(author, said, also);
  }

  undo(run: string, author: Author, entry?: string): Promise<Undone | null> {
    return this.writes.undo(run, author, entry);
  }

  redo(run: string, author: Author): Promise<Redone | null> {
    return this.writes.redo(run, author);
  }

  merge(path: string): Promise<MergeReport> {
    return this.merges.merge(path);
  }

  /** The run has this many steps as of this state of the file. */
  appeared(run: string, steps: number, version: unknown): void {
    this.merges.appeared(run, steps, version);
  }

  idle(): Promise<void> {
    return this.merges.idle();
  }

  rolledBack(): void {
    this.log.rolledBack();
  }
}
