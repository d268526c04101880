import { headsOn } from '@shared/annotation-fold';
import {
  type AnnotationEntry,
  type AnnotationOp,
  type AnnotationTarget,
  type Author,
  annotationOps,
  partsOf,
  targetSchema,
} from '@shared/annotations';
import { WaymarkError } from '@shared/errors';
import { CHAIN_START, chainHash } from './hashing';
import type { RangeIndex } from './range-index';
import type { Statements } from './rows';
import { UndoCursors } from './undo-cursors';

export interface NewAnnotation {
  ulid: string;
  at: number;
  author: Author;
  device: string;
  target: AnnotationTarget;
  supersedes: string[];
  body: AnnotationOp;
}

/** Annotation rows: `device_seq` without gaps and one chain per device. */
export class AnnotationLog {
  private readonly undo: UndoCursors;

  /** `devices`: identities under which this installation wrote into this workspace; their entries can be undone. */
  constructor(
    private readonly statements: Statements,
    private readonly ranges: RangeIndex,
    devices: ReadonlySet<string>,
  ) {
    this.undo = new UndoCursors(statements, devices);
  }

  /** A transaction was rolled back. */
  rolledBack(): void {
    this.undo.forget();
    this.ranges.forget();
  }

  append(run: number, entry: NewAnnotation): AnnotationEntry {
    const last = this.statements.get<{ device_seq: number; hash: Buffer }>(
      'SELECT device_seq, hash FROM annotation WHERE device = ? ORDER BY device_seq DESC LIMIT 1',
      entry.device,
    );
    const { ulid, at, author, device, target, supersedes, body } = entry;
    const deviceSeq = (last?.device_seq ?? 0) + 1;
    const stored: AnnotationEntry = { ulid, at, author, device, deviceSeq, target, supersedes, body };
    const text = JSON.stringify(stored);
    const { lastInsertRowid } = this.statements.run(
      'INSERT INTO annotation (ulid, run, author, op, undoes, device, device_seq, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ulid,
      run,
      author.uuid,
      body.op,
      body.op === 'undo' ? body.entry : null,
      device,
      deviceSeq,
      text,
      chainHash(last?.hash ?? CHAIN_START, text),
    );
    this.ranges.add(Number(lastInsertRowid), run, partsOf(target));
    this.ranges.remember(Number(lastInsertRowid), stored, text.length);
    return stored;
  }

  /** The stored entry with this id. @throws WaymarkError conflict, when another run has it */
  find(run: number, ulid: string): AnnotationEntry | null {
    const row = this.statements.get<{ run: number; body: string }>(
      'SELECT run, body FROM annotation WHERE ulid = ? AND purged = 0',
      ulid,
    );
    if (row !== undefined && row.run !== run) {
      throw new WaymarkError('conflict', `Entry ${ulid} belongs to another run.`);
    }
    return row === undefined ? null : (JSON.parse(row.body) as AnnotationEntry);
  }

  /** `supersedes` of a new entry: what stands on the target now, all of which its author can see. */
  headsOn(run: number, target: AnnotationTarget): string[] {
    return headsOn(this.ranges.overlapping(run, partsOf(target)), target);
  }

  /** What the author's next undo takes out; null when nothing is left. */
  undoable(run: number, author: string): AnnotationEntry | null {
    const ulid = this.undo.history(run, author).undoable();
    return ulid === null ? null : this.find(run, ulid);
  }

  /** The undo that the author's next redo takes out, and what comes back. */
  redoable(run: number, author: string): { undo: AnnotationEntry; restores: AnnotationEntry } | null {
    const open = this.undo.history(run, author).redoable();
    const undo = open && this.find(run, open.undo);
    const restores = open && this.find(run, open.restores);
    return undo && restores && { undo, restores };
  }
}

/** Parses what a caller wants to say about which steps; `steps` is how many the run has. Throws `bad_input`. */
export function parseAnnotation(
  target: AnnotationTarget,
  op: AnnotationOp,
  steps: number,
): { target: AnnotationTarget; op: AnnotationOp } {
  const parsedTarget = targetSchema.safeParse(target);
  const parsedOp = annotationOps.safeParse(op);
  if (!parsedTarget.success || !parsedOp.success) {
    throw new WaymarkError(
      'bad_input',
      'This label or comment was not understood.',
      (parsedTarget.error ?? parsedOp.error)?.message,
    );
  }
  const { from, to } = parsedTarget.data;
  if (parsedOp.data.op === 'correct' && from !== to) {
    throw new WaymarkError('bad_input', 'A correction is about one step.');
  }
  if (from > to || to > steps) {
    const range = from === to ? `step ${from}` : `steps ${from} to ${to}`;
    throw new WaymarkError('bad_input', `The run has no ${range}: it has ${steps} steps.`);
  }
  return { target: parsedTarget.data, op: parsedOp.data };
}
