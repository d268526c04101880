import {
  type AnnotationEntry,
  type AnnotationOp,
  type AnnotationTarget,
  type Author,
  partsOf,
} from '@shared/annotations';
import { ulid } from 'ulid';
import { type AnnotationLog, type NewAnnotation, parseAnnotation } from './annotation-log';
import type { Job } from './group-commit';
import type { LabelWork } from './label-work';
import type { OpenRuns } from './open-runs';
import { noRun, type OpenRun } from './run-log';

/** Entries on more steps than this look for the heads there before their transaction. */
const WIDE = 200;

export interface AnnotationWriteOptions {
  device: string;
  now(): number;
  write<T>(job: Job<T>): Promise<T>;
  /** Somebody decides about the running step: its row must exist. */
  settle(run: OpenRun): void;
  /** Right after COMMIT. */
  stored(entry: AnnotationEntry): void;
  /** When the label columns of the entry's steps are renewed. */
  labelled(entry: AnnotationEntry): void;
}

/** Labels, comments, flags, undo and redo: an entry in the log, then the label columns of its steps. */
export class AnnotationWrites {
  constructor(
    private readonly log: AnnotationLog,
    private readonly runs: OpenRuns,
    private readonly labels: LabelWork,
    private readonly options: AnnotationWriteOptions,
  ) {}

  /** `chosen`: the entry's id where the asker chose it; one that is stored already is given back as it is. */
  async annotate(
    author: Author,
    target: AnnotationTarget,
    op: AnnotationOp,
    chosen?: string,
  ): Promise<AnnotationEntry> {
    let entry: NewAnnotation | undefined;
    const make = () => {
      const run = this.runs.current(target.run);
      const parsed = parseAnnotation(target, op, run.state.steps);
      entry = this.entry(author, parsed.target, this.log.headsOn(run.id, parsed.target), parsed.op, chosen);
      return entry;
    };
    const early = target.to - target.from > WIDE ? { prepare: make, alone: true } : {};
    const stored = await this.add(target.run, { ...early, chosen }, () => entry ?? make());
    if (stored === null) {
      throw noRun(target.run);
    }
    return stored;
  }

  async undo(
    run: string,
    author: Author,
  ): Promise<{ entry: AnnotationEntry; undid: AnnotationEntry } | null> {
    const found: { undid: AnnotationEntry | null } = { undid: null };
    const entry = await this.add(run, {}, ({ id }) => {
      const undid = this.log.undoable(id, author.uuid);
      found.undid = undid;
      return undid && this.entry(author, undid.target, [], { op: 'undo', entry: undid.ulid });
    });
    return entry !== null && found.undid !== null ? { entry, undid: found.undid } : null;
  }

  async redo(
    run: string,
    author: Author,
  ): Promise<{ entry: AnnotationEntry; redid: AnnotationEntry } | null> {
    const found: { redid: AnnotationEntry | null } = { redid: null };
    const entry = await this.add(run, {}, ({ id }) => {
      const open = this.log.redoable(id, author.uuid);
      found.redid = open?.restores ?? null;
      return open && this.entry(author, open.undo.target, [], { op: 'undo', entry: open.undo.ulid });
    });
    return entry !== null && found.redid !== null ? { entry, redid: found.redid } : null;
  }

  private async add(
    run: string,
    { chosen, ...early }: { prepare?: () => void; alone?: boolean; chosen?: string | undefined },
    make: (open: OpenRun) => NewAnnotation | null,
  ): Promise<AnnotationEntry | null> {
    const stored = await this.options.write({
      ...early,
      run: () => {
        const open = this.runs.current(run);
        const known = chosen === undefined ? null : this.log.find(open.id, chosen);
        if (known !== null) {
          return { entry: known, work: this.labels.begin(open.id, partsOf(known.target)) };
        }
        const made = make(open);
        if (made === null) {
          return null;
        }
        const entry = this.log.append(open.id, made);
        if (made.target.to === open.state.steps) {
          this.options.settle(open);
        }
        return { entry, work: this.labels.begin(open.id, partsOf(made.target)) };
      },
      committed: (done) => {
        if (done !== null) {
          this.options.stored(done.entry);
        }
      },
    });
    if (stored === null) {
      return null;
    }
    await this.labels.finish(stored.work);
    this.options.labelled(stored.entry);
    return stored.entry;
  }

  private entry(
    author: Author,
    target: AnnotationTarget,
    supersedes: string[],
    body: AnnotationOp,
    chosen?: string,
  ): NewAnnotation {
    const { device, now } = this.options;
    return { ulid: chosen ?? ulid(), at: Math.round(now()), author, device, target, supersedes, body };
  }
}
