import type { StepHead, StepNote } from '@shared/contract/views';
import { type EffectiveLabel, type LabelSource, stepMarks } from '@shared/labels/labels';
import type { ImageRef } from '@shared/log/image-part';
import { emptyHead } from '@shared/runs/empty-head';
import { hasEnded } from '@shared/runs/run-status';
import { LAST_SEQ, rowId, seqOf, TILE_STEPS, tileId } from '../file/rows';
import {
  HeadMark,
  type HeadRow,
  headFlags,
  headMarks,
  LabelFlag,
  markFlags,
  type StoredNote,
} from '../projections/fold-rows';
import { TILE_COUNTS } from '../projections/run-projection';
import { bounded, findRun, type ReadContext, type RunRecord } from './read-context';
import { firstImage } from './read-images';

export const MAX_HEADS = 1000;

interface HeadRecord {
  id: number;
  seq0: number;
  seq1: number;
  at: number;
  ulid: string;
  segment: number;
  kind: StepHead['kind'];
  tool: string;
  title: string;
  observation: string;
  error_code: string | null;
  exit_code: number | null;
  bytes: number;
  score: number | null;
  flags: number;
  marks: number;
  guards: string;
  label: number;
  label_flags: number;
  label_source: LabelSource | null;
  label_reason: string | null;
  rules: string;
  authors: string;
  comments: number;
  computer: string;
  judge: string | null;
  decided: string;
}

/** Heads of steps `from..to`, at most 1,000; the step being thought about is the last one while it is unanswered. */
export function readHeads(context: ReadContext, ulid: string, from: number, to: number): StepHead[] {
  const run = findRun(context, ulid);
  const first = bounded(from, 1, LAST_SEQ, 'The first step');
  const last = Math.min(bounded(to, 0, LAST_SEQ, 'The last step'), first + MAX_HEADS - 1);
  const notes = notesOf(context, run.id, first, last);
  const heads = context.statements
    .all<HeadRecord>(
      'SELECT * FROM step_head WHERE id BETWEEN ? AND ? ORDER BY id',
      rowId(run.id, first),
      rowId(run.id, last),
    )
    .map((row) => toHead(run, row, notes.get(seqOf(row.id)) ?? [], imageOf(context, run, row)));
  const running = run.state.head;
  if (
    running !== null &&
    running.step >= first &&
    running.step <= last &&
    heads.at(-1)?.step !== running.step
  ) {
    const row = runningRecord(run, running);
    heads.push(toHead(run, row, notes.get(running.step) ?? [], imageOf(context, run, row)));
  }
  const pending = pendingHead(run);
  return pending !== null && pending.step >= first && pending.step <= last ? [...heads, pending] : heads;
}

/** Row and views of one step; undefined when it was not answered. */
export function readHead(
  context: ReadContext,
  run: RunRecord,
  step: number,
): { head: StepHead; seq0: number; seq1: number } | undefined {
  const stored = context.statements.get<HeadRecord>(
    'SELECT * FROM step_head WHERE id = ?',
    rowId(run.id, step),
  );
  const running = run.state.head?.step === step ? runningRecord(run, run.state.head) : undefined;
  const row = stored ?? running;
  if (row === undefined) {
    return undefined;
  }
  const notes = notesOf(context, run.id, step, step).get(step) ?? [];
  const head = toHead(run, row, notes, imageOf(context, run, row));
  return { head, seq0: row.seq0, seq1: row.seq1 };
}

/** The running step as its row will be; labels come with a row only. */
function runningRecord(run: RunRecord, head: HeadRow): HeadRecord {
  return {
    id: rowId(run.id, head.step),
    seq0: head.seq0,
    seq1: head.seq1,
    at: head.at,
    ulid: head.stepId,
    segment: head.segment,
    kind: head.kind,
    tool: head.tool,
    title: head.title,
    observation: head.observation,
    error_code: head.errorCode,
    exit_code: head.exitCode,
    bytes: head.bytes,
    score: head.score,
    flags: headFlags(head),
    marks: headMarks(head),
    guards: JSON.stringify(head.guards),
    label: 0,
    label_flags: 0,
    label_source: null,
    label_reason: null,
    rules: '[]',
    authors: '[]',
    comments: 0,
    computer: head.computer ?? '',
    judge: null,
    decided: '[]',
  };
}

/** Of the few rows that have one. */
function imageOf(context: ReadContext, run: RunRecord, row: HeadRecord): ImageRef | undefined {
  return (row.marks & HeadMark.pictured) === 0 ? undefined : firstImage(context, run, row.seq0, row.seq1);
}

function toHead(run: RunRecord, row: HeadRecord, after: StepNote[], image?: ImageRef): StepHead {
  const label: EffectiveLabel = {
    value: row.label === 0 ? null : row.label === 1 ? 'train' : 'mask',
    source: row.label_source,
    reason: row.label_reason,
    disagreement: (row.label_flags & LabelFlag.disagreement) !== 0,
  };
  return {
    run: run.ulid,
    step: seqOf(row.id),
    id: row.ulid,
    segment: row.segment,
    at: row.at,
    kind: row.kind,
    tool: row.tool,
    title: row.title,
    observation: row.observation,
    done: (row.marks & HeadMark.done) !== 0,
    ok: (row.marks & HeadMark.ok) !== 0,
    errorCode: row.error_code,
    exitCode: row.exit_code,
    bytes: row.bytes,
    score: row.score,
    imitatesHuman: (row.marks & HeadMark.imitatesHuman) !== 0,
    guards: JSON.parse(row.guards) as string[],
    label,
    rules: JSON.parse(row.rules) as string[],
    by: JSON.parse(row.authors) as string[],
    decided: JSON.parse(row.decided) as string[],
    marks: stepMarks.filter((mark) => (row.label_flags & markFlags[mark]) !== 0),
    judge: row.judge === null ? null : (JSON.parse(row.judge) as StepHead['judge']),
    computer: row.computer,
    withheld: false,
    flagged: (row.label_flags & LabelFlag.flagged) !== 0,
    comments: row.comments,
    inheritedFrom: null,
    ...(image === undefined ? {} : { image }),
    after,
  };
}

/** The step whose answer is awaited: no row of it is stored before the model has answered. */
function pendingHead(run: RunRecord): StepHead | null {
  const { requested, status, segments } = run.state;
  if (requested === null || hasEnded(status)) {
    return null;
  }
  const { step, at } = requested;
  return { ...emptyHead(run.ulid, step), segment: Math.max(1, segments), at };
}

function notesOf(context: ReadContext, run: number, from: number, to: number): Map<number, StepNote[]> {
  const rows = context.statements.all<{ step: number; body: string }>(
    'SELECT step, body FROM note WHERE step BETWEEN ? AND ? ORDER BY step, id',
    rowId(run, from),
    rowId(run, to),
  );
  const notes = new Map<number, StepNote[]>();
  for (const { step, body } of rows) {
    const list = notes.get(seqOf(step)) ?? [];
    list.push(withNumbers(context, run, JSON.parse(body) as StoredNote));
    notes.set(seqOf(step), list);
  }
  return notes;
}

function withNumbers(context: ReadContext, run: number, note: StoredNote): StepNote {
  if (note.kind !== 'hint') {
    return note;
  }
  const hints = note.hints.map(({ id, text }) => {
    const row = context.statements.get<{ number: number }>(
      'SELECT number FROM hint WHERE run = ? AND ulid = ?',
      run,
      id,
    );
    return { id, number: row?.number ?? 0, text };
  });
  return { kind: 'hint', hints };
}

/** What `tile` holds, with the tile of the last step counted from its rows. */
export interface TileRow {
  id: number;
  n: number;
  train: number;
  mask: number;
  disagreement: number;
  hints: number;
  errors: number;
  score: number | null;
}

export function tileRows(context: ReadContext, run: RunRecord): TileRow[] {
  const { steps } = run.state;
  // A branch that has no step of its own yet stands at its parent's.
  if (steps <= (run.facts.parent?.step ?? 0)) {
    return [];
  }
  const last = tileId(run.id, steps);
  const stored = context.statements.all<TileRow>(
    'SELECT * FROM tile WHERE id BETWEEN ? AND ? ORDER BY id',
    rowId(run.id, 0),
    last - 1,
  );
  const counts = context.statements.get<Omit<TileRow, 'id'>>(
    `SELECT ${TILE_COUNTS}`,
    rowId(run.id, seqOf(last) * TILE_STEPS + 1),
    rowId(run.id, LAST_SEQ),
  );
  if (counts === undefined) {
    return stored;
  }
  // The running step may have no row yet; it is undecided then.
  const known =
    context.statements.get('SELECT 1 FROM step_head WHERE id = ?', rowId(run.id, steps)) !== undefined;
  return [...stored, { id: last, ...counts, n: counts.n + (known ? 0 : 1) }];
}

/** As `tileRows`, for steps `from..to` only, counted from their rows. */
export function countTiles(
  context: ReadContext,
  run: RunRecord,
  { from, to }: { from: number; to: number },
): TileRow[] {
  const tiles: TileRow[] = [];
  for (let first = from; first <= to; ) {
    const id = tileId(run.id, first);
    const last = Math.min(to, (seqOf(id) + 1) * TILE_STEPS);
    const counts = context.statements.get<Omit<TileRow, 'id'>>(
      `SELECT ${TILE_COUNTS}`,
      rowId(run.id, first),
      rowId(run.id, last),
    );
    if (counts !== undefined) tiles.push({ id, ...counts });
    first = last + 1;
  }
  return tiles;
}
