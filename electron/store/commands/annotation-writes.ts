import { WaymarkError } from '@shared/contract/errors';
import { joined, partsOf, type StepRange } from '@shared/contract/step-range';
import { stepsIn } from '@shared/labels/review/step-ranges';
import { authorTrouble } from '@shared/log/annotation-limits';
import type { AnnotationEntry, AnnotationOp, AnnotationTarget, Author } from '@shared/log/annotations';
import { newUlid } from '../../base/new-ulid';
import type { AnnotationLog, NewAnnotation } from '../log/annotation-log';
import type { Job } from '../log/group-commit';
import type { OpenRuns } from '../log/open-runs';
import { ownTargets } from '../log/own-targets';
import { parseAnnotation } from '../log/parse-annotation';
import type { OpenRun } from '../log/run-log';
import { type LabelWork, type PendingLabels, renewalEnd } from '../projections/label-work';
import type { Redone, Said, Undone } from '../values';

/** Entries on more steps than this look for the heads there before their transaction. */
const WIDE = 200;

export interface AnnotationWriteOptions {
  device: string;
  now(): number;
  write<T>(job: Job<T>): Promise<T>;
  /** Somebody decides about the running step: its row must exist. */
  settle(run: OpenRun): void;
  /** Right after COMMIT, with the entry's row. */
  stored(id: number): void;
  /** When the label columns of these steps are renewed. */
  relabelled(run: string, from: number, to: number): void;
}

interface Stored {
  entry: AnnotationEntry;
  /** Its row; null when it was stored before. */
  id: number | null;
  work: PendingLabels | null;
}

/**
 * Labels, comments, flags, undo and redo: entries in the log, then the label columns of their steps. What a person does at once is
 * one gesture and one transaction, over as many runs as its steps were made in.
 */
export class AnnotationWrites {
  constructor(
    private readonly log: AnnotationLog,
    private readonly runs: OpenRuns,
    private readonly labels: LabelWork,
    private readonly options: AnnotationWriteOptions,
  ) {}

  /**
   * `chosen`: the entry's id where the asker chose it; one that is stored already is given back as it is. Of several entries the
   * one about the latest steps, which has that id.
   */
  async annotate(
    author: Author,
    target: AnnotationTarget,
    op: AnnotationOp,
    chosen?: string,
  ): Promise<AnnotationEntry> {
    let made: NewAnnotation[] | undefined;
    const make = () => {
      made = this.entries(author, target, op, chosen);
      return made;
    };
    const early = target.to - target.from > WIDE ? { prepare: make, alone: true } : {};
    const stored = await this.add({
      ...early,
      known: () => this.known(target.run, chosen),
      make: () => made ?? make(),
    });
    const entry = stored?.at(-1);
    if (entry === undefined) {
      throw new WaymarkError('bad_input', 'No step was named.');
    }
    return entry;
  }

  /**
   * Several entries of one author, each on steps of its own, in one transaction: all or none is stored, and the label columns of
   * their steps are renewed together. `also` belongs to the same transaction. @throws WaymarkError bad_input (a step is named
   * twice), not_found
   */
  async annotateEach(author: Author, said: readonly Said[], also?: () => void): Promise<AnnotationEntry[]> {
    const stored = await this.options.write({
      run: () => {
        also?.();
        // Nothing else changes in this transaction, so every run is compared with its row once.
        const find = once((run: string) => this.runs.find(run));
        const current = (run: string) => find(run) ?? this.runs.current(run);
        const made = this.entriesOfEach(author, said, find, current);
        const rows = made.map((entry) => ({ run: current(entry.target.run).id, entry }));
        const entries = this.log.appendEach(this.options.device, rows);
        for (const { target } of made) this.settleLast(current(target.run), target);
        const end = renewalEnd();
        const works = [...byRun(rows)].map(([run, pieces]) => this.labels.begin(run, joined(pieces), end));
        return { entries, works };
      },
      committed: ({ entries }) => {
        for (const { id } of entries) this.options.stored(id);
      },
    });
    for (const work of stored.works) await this.labels.finish(work);
    const entries = stored.entries.map(({ entry }) => entry);
    for (const run of new Set(entries.map(({ target }) => target.run))) {
      const about = entries.filter(({ target }) => target.run === run);
      for (const { from, to } of joined(about.map(({ target }) => target)))
        this.options.relabelled(run, from, to);
    }
    return entries;
  }

  async undo(run: string, author: Author, entry?: string): Promise<Undone | null> {
    let unit: AnnotationEntry[] = [];
    const stored = await this.add({
      make: () => {
        unit = this.log.undoable(this.runs.current(run), author.uuid, entry) ?? [];
        return this.undoing(author, unit);
      },
    });
    const [last, undid] = [stored?.at(-1), unit.at(-1)];
    return last === undefined || undid === undefined ? null : { entry: last, undid, unit };
  }

  async redo(run: string, author: Author): Promise<Redone | null> {
    let unit: AnnotationEntry[] = [];
    const stored = await this.add({
      make: () => {
        const open = this.log.redoable(this.runs.current(run), author.uuid);
        unit = open?.restores ?? [];
        return this.undoing(author, open?.undos ?? []);
      },
    });
    const [last, redid] = [stored?.at(-1), unit.at(-1)];
    return last === undefined || redid === undefined ? null : { entry: last, redid, unit };
  }

  /** Stores what is made in one transaction; null when there is nothing to store. */
  private async add({
    known,
    make,
    ...early
  }: {
    prepare?: () => void;
    alone?: boolean;
    known?: () => AnnotationEntry | null;
    make: () => readonly NewAnnotation[];
  }): Promise<AnnotationEntry[] | null> {
    const stored = await this.options.write<Stored[]>({
      ...early,
      run: () => {
        const before = known?.() ?? null;
        if (before !== null) {
          const { id } = this.runs.current(before.target.run);
          return [{ entry: before, id: null, work: this.labels.begin(id, partsOf(before.target)) }];
        }
        const end = renewalEnd();
        return make().map((entry) => this.store(entry, end));
      },
      committed: (done) => {
        for (const { id: row } of done) {
          if (row !== null) this.options.stored(row);
        }
      },
    });
    for (const { entry, work } of stored) {
      await this.labels.finish(work);
      const { run, from, to } = entry.target;
      this.options.relabelled(run, from, to);
    }
    return stored.length === 0 ? null : stored.map(({ entry }) => entry);
  }

  private store(made: NewAnnotation, end: number): Stored {
    const { entry, id, run } = this.append(made);
    return { entry, id, work: this.labels.begin(run, partsOf(made.target), end) };
  }

  /** The entry, its row, and the row of its run. */
  private append(made: NewAnnotation): { entry: AnnotationEntry; id: number; run: number } {
    const run = this.runs.current(made.target.run);
    const { entry, id } = this.log.append(run.id, made);
    this.settleLast(run, made.target);
    return { entry, id, run: run.id };
  }

  private settleLast(run: OpenRun, { to }: AnnotationTarget): void {
    if (to === run.state.steps) {
      this.options.settle(run);
    }
  }

  /** The entry that was stored under this id for the same run. @throws WaymarkError conflict */
  private known(run: string, chosen: string | undefined): AnnotationEntry | null {
    const entry = chosen === undefined ? null : this.log.find(chosen);
    if (entry !== null && (entry.gesture?.run ?? entry.target.run) !== run) {
      throw new WaymarkError('conflict', `Entry ${entry.ulid} belongs to another run.`);
    }
    return entry;
  }

  private entries(
    author: Author,
    asked: AnnotationTarget,
    said: AnnotationOp,
    chosen: string | undefined,
  ): NewAnnotation[] {
    const { target, op, targets } = this.parse(
      { target: asked, op: said },
      (run) => this.runs.find(run),
      (run) => this.runs.current(run),
    );
    const entries = targets.map((own) =>
      this.entry(author, own, this.log.headsOn(this.runs.current(own.run).id, own), op),
    );
    const lead = entries.at(-1);
    if (lead !== undefined && chosen !== undefined) {
      lead.ulid = chosen;
    }
    return asOne(entries, () => target.run);
  }

  /** What is said, as it may be stored, and the steps by the run they were made in. */
  private parse(
    { target: asked, op: said }: Said,
    find: (run: string) => OpenRun | null,
    current: (run: string) => OpenRun,
  ): Said & { targets: AnnotationTarget[] } {
    const { target, op } = parseAnnotation(asked, said, current(asked.run).state.steps);
    // What became of a hint belongs to the run that heard it, also when it hangs on the last step it inherited.
    return { target, op, targets: op.op === 'hint' ? [target] : ownTargets(target, find) };
  }

  private entriesOfEach(
    author: Author,
    said: readonly Said[],
    find: (run: string) => OpenRun | null,
    current: (run: string) => OpenRun,
  ): NewAnnotation[] {
    const parsed = said.map((each) => this.parse(each, find, current));
    const own = new Map<string, AnnotationTarget[]>();
    for (const target of parsed.flatMap(({ targets }) => targets)) {
      const before = own.get(target.run);
      if (before === undefined) own.set(target.run, [target]);
      else before.push(target);
    }
    const heads = new Map<AnnotationTarget, string[]>();
    for (const [run, targets] of own) {
      const steps = stepsIn(targets.flatMap(partsOf));
      if (stepsIn(joined(targets.flatMap(partsOf))) < steps) {
        throw new WaymarkError('bad_input', `A step of run ${run} was named twice. Say one thing of each.`);
      }
      for (const [at, found] of this.log.headsOnEach(current(run).id, targets).entries()) {
        const target = targets[at];
        if (target !== undefined) heads.set(target, found);
      }
    }
    return parsed.flatMap(({ target, op, targets }) => {
      const entries = targets.map((each) => this.entry(author, each, heads.get(each) ?? [], op));
      return asOne(entries, () => target.run);
    });
  }

  /** Undo entries of what was said, or of earlier undo entries: they are part of what was done in the same run. */
  private undoing(author: Author, unit: readonly AnnotationEntry[]): NewAnnotation[] {
    const runs = new Map(unit.map(({ ulid: id, gesture, target }) => [id, gesture?.run ?? target.run]));
    const entries = unit.map(({ target, ulid: id }) =>
      this.entry(author, target, [], { op: 'undo', entry: id }),
    );
    return asOne(entries, ({ body, target }) =>
      body.op === 'undo' ? (runs.get(body.entry) ?? target.run) : target.run,
    );
  }

  private entry(
    author: Author,
    target: AnnotationTarget,
    supersedes: string[],
    body: AnnotationOp,
  ): NewAnnotation {
    // What no other workspace would take over is not stored here either.
    const trouble = authorTrouble(author);
    if (trouble !== null) throw new WaymarkError('bad_input', `This was not stored: ${trouble}.`);
    const { device, now } = this.options;
    return { ulid: newUlid(), at: Math.round(now()), author, device, target, supersedes, body };
  }
}

/** Names the gesture on its entries, unless it is one entry about steps of the run in which it was done. */
function asOne(entries: NewAnnotation[], runOf: (entry: NewAnnotation) => string): NewAnnotation[] {
  const lead = entries.at(-1);
  return entries.map((entry) => {
    const run = runOf(entry);
    return lead === undefined || (entries.length === 1 && run === entry.target.run)
      ? entry
      : { ...entry, gesture: { id: lead.ulid, run } };
  });
}

/** Each answer is looked for once. */
function once<Answer>(find: (key: string) => Answer): (key: string) => Answer {
  const known = new Map<string, Answer>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const answer = find(key);
    known.set(key, answer);
    return answer;
  };
}

/** The steps of new entries, by the row of their run. */
function byRun(rows: readonly { run: number; entry: NewAnnotation }[]): Map<number, StepRange[]> {
  const pieces = new Map<number, StepRange[]>();
  for (const { run, entry } of rows) {
    const before = pieces.get(run);
    if (before === undefined) pieces.set(run, [...partsOf(entry.target)]);
    else before.push(...partsOf(entry.target));
  }
  return pieces;
}
