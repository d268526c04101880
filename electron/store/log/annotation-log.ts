import { joined, partsOf, type StepRange } from '@shared/contract/step-range';
import { headsOn } from '@shared/labels/annotation-fold';
import { addsReason, mayComplete } from '@shared/labels/reason-pair';
import type {
  AnnotationEntry,
  AnnotationOp,
  AnnotationTarget,
  Author,
  Gesture,
} from '@shared/log/annotations';
import type { Statements } from '../file/rows';
import { endOf, noteEnd } from './annotation-ends';
import { AnnotationRows } from './annotation-rows';
import { GestureIndex } from './gesture-index';
import { chainLink } from './hashing';
import type { RangeIndex } from './range-index';
import type { OpenRun } from './run-log';
import { UndoCursors } from './undo-cursors';

export interface NewAnnotation {
  ulid: string;
  at: number;
  author: Author;
  device: string;
  target: AnnotationTarget;
  supersedes: string[];
  gesture?: Gesture;
  body: AnnotationOp;
}

export interface StoredAnnotation {
  entry: AnnotationEntry;
  /** Its row. */
  id: number;
}

/** Annotation rows: `device_seq` without gaps and one chain per device. */
export class AnnotationLog {
  private readonly undo: UndoCursors;
  private readonly gestures: GestureIndex;
  private readonly rows: AnnotationRows;

  /** `devices`: identities under which this installation wrote into this workspace; their entries can be undone. */
  constructor(
    private readonly statements: Statements,
    private readonly ranges: RangeIndex,
    private readonly devices: ReadonlySet<string>,
  ) {
    this.gestures = new GestureIndex(statements);
    this.rows = new AnnotationRows(statements);
    this.undo = new UndoCursors(statements, devices);
  }

  /** A transaction was rolled back. */
  rolledBack(): void {
    this.undo.forget();
    this.ranges.forget();
  }

  /** The entry as stored, and its row. */
  append(run: number, entry: NewAnnotation): StoredAnnotation {
    const [stored] = this.appendEach(entry.device, [{ run, entry }]);
    if (stored === undefined) throw new Error('One entry was to be stored, and none was.');
    return stored;
  }

  /** Several of one device in their order; where its log ends is read once and noted once. */
  appendEach(device: string, entries: readonly { run: number; entry: NewAnnotation }[]): StoredAnnotation[] {
    if (entries.length === 0) return [];
    const end = endOf(this.statements, device);
    let { seq } = end;
    let hash = end.hash.toString('hex');
    const rows = entries.map(({ run, entry }) => {
      seq += 1;
      const said = numbered(entry, device, seq);
      const text = JSON.stringify(said);
      hash = chainLink(hash, text);
      return { ulid: said.ulid, run, device, deviceSeq: seq, said, text, hash };
    });
    const first = this.rows.insert(rows);
    const marks = new Map<number, { annotation: number; parts: readonly StepRange[] }[]>();
    const stored = rows.map(({ run, said, text }, at) => {
      const id = first + at;
      this.gestures.add(id, run, said);
      this.ranges.remember(id, said, text.length);
      const known = marks.get(run) ?? [];
      marks.set(run, known);
      known.push({ annotation: id, parts: partsOf(said.target) });
      return { entry: said, id };
    });
    for (const [run, added] of marks) this.ranges.addAll(run, added);
    noteEnd(this.statements, { device, seq, hash: Buffer.from(hash, 'hex') });
    return stored;
  }

  /** The stored entry with this id; null when it is not here, or its run was removed. */
  find(ulid: string): AnnotationEntry | null {
    const row = this.statements.get<{ body: string }>(
      'SELECT body FROM annotation WHERE ulid = ? AND purged = 0',
      ulid,
    );
    return row === undefined ? null : (JSON.parse(row.body) as AnnotationEntry);
  }

  /** `supersedes` of a new entry: what stands on the target now, all of which its author can see. */
  headsOn(run: number, target: AnnotationTarget): string[] {
    return headsOn(this.ranges.overlapping(run, partsOf(target)), target);
  }

  /** The same for several targets in one run: what stands there is read once. */
  headsOnEach(run: number, targets: readonly AnnotationTarget[]): string[][] {
    const pieces = targets.map((target) => partsOf(target));
    const standing = this.ranges.overlapping(run, joined(pieces.flat()));
    return targets.map((target, at) =>
      headsOn(
        standing.filter((entry) => touch(partsOf(entry.target), pieces[at] ?? [])),
        target,
      ),
    );
  }

  /**
   * What the author's next undo in the run takes out, in the order it was stored; null when nothing is left. With `entry`: the
   * gesture that this entry is part of, if it is the author's own and stands.
   */
  undoable(run: OpenRun, author: string, entry?: string): AnnotationEntry[] | null {
    const wanted = entry ?? this.undo.history(run, author).undoable();
    const found = wanted === null ? null : this.find(wanted);
    if (found === null || found.author.uuid !== author || !this.devices.has(found.device)) {
      return null;
    }
    const gesture = this.gestures.standing(found);
    return gesture.length === 0 ? null : [...this.withoutReason(gesture), ...gesture];
  }

  /** The undo entries that the author's next redo in the run takes out, and what comes back. */
  redoable(run: OpenRun, author: string): { undos: AnnotationEntry[]; restores: AnnotationEntry[] } | null {
    const open = this.undo.history(run, author).redoable();
    const found = open && this.find(open.undo);
    const undos = found === null ? [] : this.gestures.standing(found);
    const restores = undos.flatMap(({ body }) => (body.op === 'undo' ? (this.find(body.entry) ?? []) : []));
    return restores.length === 0 ? null : { undos, restores };
  }

  /** The decision that the gesture only adds a reason to; to a person the two are one. */
  private withoutReason(gesture: readonly AnnotationEntry[]): AnnotationEntry[] {
    const [first] = gesture;
    if (first === undefined || !gesture.every(mayComplete)) {
      return [];
    }
    const row = this.statements.get<{ body: string }>(
      'SELECT body FROM annotation WHERE device = ? AND device_seq = ? AND purged = 0',
      first.device,
      first.deviceSeq - 1,
    );
    const before = row === undefined ? [] : this.gestures.standing(JSON.parse(row.body) as AnnotationEntry);
    return addsReason(gesture, before) ? before : [];
  }
}

/** Whether two lists of pieces have a step in common. */
function touch(some: readonly StepRange[], others: readonly StepRange[]): boolean {
  return some.some(({ from, to }) => others.some((other) => from <= other.to && to >= other.from));
}

/** The entry with its place in the log of its device; its members in the order that is hashed. */
function numbered(
  { ulid, at, author, target, supersedes, gesture, body }: NewAnnotation,
  device: string,
  deviceSeq: number,
): AnnotationEntry {
  const before = { ulid, at, author, device, deviceSeq, target, supersedes };
  return gesture === undefined ? { ...before, body } : { ...before, gesture, body };
}
