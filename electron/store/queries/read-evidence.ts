import { WaymarkError } from '@shared/contract/errors';
import type { FileEvidence, GpuEvidence, StepEvidence } from '@shared/labels/evidence';
import type { RunEvent } from '@shared/log/events';
import { bestOf } from '@shared/runs/scores';
import { WorkingTime } from '@shared/runs/working-time';
import type { FileEdit } from '../../label/file-edit';
import { FileSight } from '../../label/file-sight';
import { followedFiles } from '../../label/followed-files';
import { rowId, seqOf } from '../file/rows';
import { hydrate } from '../file/stored-json';
import { type OwnedSteps, ownersOf } from '../log/run-owners';
import { fileSources } from '../projections/file-lineage';
import { bounded, findRun, type ReadContext, type RunRecord, readEvents, stepSpan } from './read-context';
import { readHead } from './read-heads';
import { applyTiming, timingRows } from './timing-rows';

/** Looks further back than this many steps are not searched for: one answer costs some 10 ms. */
const LOOK_BACK = 400;
/** Events in which a run says where its workspace is and who sees it. */
const BEGINNING = 8;
const MAX_FILES = 20;
const MAX_CHANGES = 8;

/** What speaks for or against an answered step. Throws `not_found`. */
export function readEvidence(context: ReadContext, ulid: string, step: number): StepEvidence {
  const asked = findRun(context, ulid);
  const at = bounded(step, 1, 2 ** 31, 'The step');
  const owned = ownersOf(context, asked, Math.max(1, at - LOOK_BACK), at + 1);
  const owner = ownerOf(owned, at);
  const span = owner === undefined ? undefined : stepSpan(context, owner, at);
  if (owner === undefined || span === undefined) {
    throw new WaymarkError('not_found', `Step ${step} of run ${ulid} has not been answered, or is gone.`);
  }
  const { edits, since } = editsOf(context, owned, owner, at);
  return {
    run: ulid,
    step: at,
    since,
    files: edits.slice(0, MAX_FILES).map((edit) => fileEvidence(context, owner, span, edit, since)),
    moreFiles: Math.max(0, edits.length - MAX_FILES),
    score: scores(context, ownersOf(context, asked, 1, at)),
    gpus: gpus(context, owner, at),
    workingMs: workingMs(context, owner, span.seq1),
    next: next(context, ownerOf(owned, at + 1), at + 1),
  };
}

function ownerOf(owned: readonly OwnedSteps[], step: number): RunRecord | undefined {
  return owned.find(({ from, to }) => step >= from && step <= to)?.run ?? undefined;
}

/**
 * Edits of the step by the rules' own reading of the log (`FileSight`), begun `LOOK_BACK` steps before. `since`: the
 * first step that was read; what a removed run held is not.
 */
function editsOf(
  context: ReadContext,
  owned: readonly OwnedSteps[],
  owner: RunRecord,
  step: number,
): { edits: FileEdit[]; since: number } {
  const gone = owned.findLastIndex(({ run }) => run === null);
  const parts = owned.slice(gone + 1).filter(({ from }) => from <= step);
  const since = parts[0]?.from ?? step;
  const { root } = owner.state;
  const sight = beginSight(context, owner, since === 1 ? root : null);
  // Up to which step of each run its changes are among the files.
  const copied = new Map(fileSources(context, owner).map((source) => [source.run.id, source.to]));
  let edits: FileEdit[] = [];
  for (const { run, from, to } of parts) {
    if (run === null) continue;
    const last = copied.get(run.id) ?? 0;
    for (const event of sightEvents(context, run, from, Math.min(to, step), root)) {
      const made = sight.apply(event, 'step' in event.body && Number(event.body.step) > last);
      if (event.kind === 'action.observed' && event.body.step === step) edits = [...edits, ...made];
    }
  }
  const first = new Map<string, FileEdit>();
  for (const edit of edits) if (!first.has(edit.path)) first.set(edit.path, edit);
  return { edits: [...first.values()], since };
}

/** What the beginning of the run's own log says of its files. */
function beginSight(context: ReadContext, run: RunRecord, root: string | null): FileSight {
  const [created, ...others] = readEvents(context, run, 1, BEGINNING, BEGINNING);
  const spec = created?.kind === 'run.created' ? created.body.spec : {};
  const sight = new FileSight(root, followedFiles(spec, run.state.root));
  for (const event of others) if (event.kind === 'workspace.probed') sight.apply(event);
  return sight;
}

/** The events that tell looks from changes, without the large texts of what was shown. */
function* sightEvents(
  context: ReadContext,
  run: RunRecord,
  from: number,
  to: number,
  root: string,
): Generator<RunEvent> {
  const first = stepSpan(context, run, from);
  const last = stepSpan(context, run, to);
  if (first === undefined || last === undefined) return;
  const statement = context.statements.prepare(
    `SELECT id, at, epoch, kind, body FROM event WHERE id BETWEEN ? AND ?
     AND kind IN ('action.started', 'file.changed', 'action.observed') ORDER BY id`,
  );
  const load = (sha: string) => context.blobs.read(sha);
  for (const row of statement.iterate(rowId(run.id, first.seq0), rowId(run.id, last.seq1))) {
    const { id, at, epoch, kind, body } = row as EventRow;
    const place = { run: run.ulid, seq: seqOf(id), at, epoch, kind };
    // A branch works in a copy: its parent's paths mean the same files.
    const moved = run.state.root === root ? body : body.replaceAll(run.state.root, root);
    yield { ...place, body: bodyOf(kind, moved, load) } as RunEvent;
  }
}

interface EventRow {
  id: number;
  at: number;
  epoch: number;
  kind: string;
  body: string;
}

function bodyOf(kind: string, stored: string, load: (sha: string) => string): unknown {
  const body = JSON.parse(stored) as Record<string, unknown>;
  if (kind === 'action.started') return { step: body.step };
  if (kind === 'file.changed') return { ...body, beforeText: null, text: null };
  const { images: _, ...rest } = body;
  return hydrate({ ...rest, text: '' }, load);
}

function fileEvidence(
  context: ReadContext,
  run: RunRecord,
  span: { seq0: number; seq1: number },
  edit: FileEdit,
  since: number,
): FileEvidence {
  const { path, step, lookedAt, seenAt } = edit;
  const own = context.statements.get<{ computer: string; before: string | null; revision: number }>(
    'SELECT computer, before, revision FROM file_revision WHERE run = ? AND seq BETWEEN ? AND ? AND path = ? ORDER BY seq LIMIT 1',
    run.id,
    span.seq0,
    span.seq1,
    path,
  );
  const changes = context.statements
    .all<{ step: number }>(
      `SELECT DISTINCT step FROM file_revision
       WHERE run = ? AND computer = ? AND path = ? AND revision < ? AND step > ? AND step < ? ORDER BY step DESC`,
      ...[run.id, own?.computer ?? '', path, own?.revision ?? 0, lookedAt ?? seenAt ?? 0, step],
    )
    .map((row) => row.step);
  const latest = Math.max(edit.changedAt ?? 0, changes[0] ?? 0);
  return {
    path,
    computer: own?.computer ?? '',
    sight: sightOf(edit, own?.before, latest, since),
    lookedAt: lookedAt ?? seenAt,
    changedBy: lookedAt === null ? changes.slice(0, MAX_CHANGES).reverse() : [],
    changes: lookedAt === null ? changes.length : 0,
  };
}

/** `before`: hash of the content before the step; null = there was no file, undefined = nothing was recorded. */
function sightOf(
  edit: FileEdit,
  before: string | null | undefined,
  changedAt: number,
  since: number,
): FileEvidence['sight'] {
  if (before === null || (before === undefined && !edit.existed && since === 1)) return 'new';
  if (edit.lookedAt !== null) return 'seen';
  if (edit.seenAt !== null || (changedAt > 0 && changedAt >= since)) return 'stale';
  return since === 1 ? 'never' : 'unknown';
}

function scores(context: ReadContext, owned: readonly OwnedSteps[]): StepEvidence['score'] {
  let best: number | null = null;
  let last: number | null = null;
  for (const { run, from, to } of owned) {
    if (run === null) continue;
    const range = [rowId(run.id, 0), rowId(run.id, run.seq), from, to];
    const where = 'id BETWEEN ? AND ? AND step BETWEEN ? AND ? AND score IS NOT NULL';
    const top = context.statements.get<{ score: number | null }>(
      `SELECT max(score) AS score FROM evaluation WHERE ${where}`,
      ...range,
    );
    const newest = context.statements.get<{ score: number }>(
      `SELECT score FROM evaluation WHERE ${where} ORDER BY id DESC LIMIT 1`,
      ...range,
    );
    last = newest?.score ?? last;
    best = bestOf(best, top?.score ?? null);
  }
  return { best, last };
}

/** What was last noted of each computer, at this step or before. */
function gpus(context: ReadContext, run: RunRecord, step: number): GpuEvidence[] {
  // The columns beside a single max() are those of its row.
  const notes = context.statements.all<{ id: number; step: number }>(
    `SELECT max(id) AS id, step FROM note WHERE step BETWEEN ? AND ? AND body LIKE '{"kind":"gpu",%'
     GROUP BY body ->> '$.computer' ORDER BY 1 DESC`,
    rowId(run.id, 0),
    rowId(run.id, step),
  );
  return notes.flatMap((note) => {
    const seq = seqOf(note.id);
    const [event] = readEvents(context, run, seq, seq, 1);
    if (event?.kind !== 'gpu.changed') return [];
    const { computer, state, gpus: each } = event.body;
    return [{ computer, state, step: seqOf(note.step), gpus: each }];
  });
}

/** As of the step's last event, by `WorkingTime` over the few events it counts by. */
function workingMs(context: ReadContext, run: RunRecord, seq: number): number | null {
  const end = context.statements.get<{ at: number }>('SELECT at FROM event WHERE id = ?', rowId(run.id, seq));
  if (end === undefined) return null;
  const time = new WorkingTime();
  for (const row of timingRows(context, run.id, 0, seq)) applyTiming(time, row);
  return time.ms(end.at);
}

function next(context: ReadContext, run: RunRecord | undefined, step: number): StepEvidence['next'] {
  const head = run === undefined ? undefined : readHead(context, run, step)?.head;
  if (head === undefined || !head.done) return null;
  const { tool, ok, exitCode, errorCode } = head;
  return { step, tool, ok, exitCode, errorCode };
}
