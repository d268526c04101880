import { WaymarkError } from '@shared/contract/errors';
import type { ObservationView, StepDetail, StepNote } from '@shared/contract/views';
import { noticesOf } from '@shared/log/event-parts';
import type { EventBody, EventKind, RunEvent } from '@shared/log/events';
import { imageRef } from '@shared/log/image-part';
import { rowId, seqOf } from '../file/rows';
import { HeadMark } from '../projections/fold-rows';
import { bounded, findRun, type ReadContext, type RunRecord, readKinds } from './read-context';
import { revisionsOfStep } from './read-files';
import { readHead } from './read-heads';
import { readLabels } from './read-labels';

/** What a step is shown by. Watches may record any number of other events while it goes on. */
const SHOWN: readonly EventKind[] = [
  'model.answered',
  'step.taught',
  'step.imported',
  'hint.delivered',
  'action.started',
  'action.observed',
];

/** Of these, what a judge is shown. */
const JUDGED: readonly EventKind[] = ['model.answered', 'hint.delivered', 'action.observed'];

/** What was said and done in an answered step, without what others make of it. */
export type Turn = Pick<StepDetail, 'head' | 'text' | 'reasoning' | 'observations' | 'hintText'>;

interface FoundStep {
  run: RunRecord;
  seq0: number;
  seq1: number;
  head: StepDetail['head'];
  body: EventBody<'model.answered'>;
  events: RunEvent[];
}

/** Everything about one answered step. Throws `not_found`. */
export function readStep(context: ReadContext, ulid: string, step: number): StepDetail {
  const found = findStep(context, ulid, step);
  const { run, seq0, seq1, body, events } = found;
  const observed = events.flatMap((event) => (event.kind === 'action.observed' ? [event.body] : []));
  const taught = events.flatMap((event) => (event.kind === 'step.taught' ? [event.body.text] : []));
  return {
    ...turnOf(found),
    usage: body.usage,
    cost: body.cost,
    durationMs: body.durationMs,
    model: body.model,
    shortened: shortenedOf(context, run, step, seq0),
    taught: taught.length > 0 ? taught.join('') : null,
    files: revisionsOfStep(context, run, step, seq0, seq1),
    labels: readLabels(context, run, step),
    scoreThen: bestScore(context, run, step),
    offsets: observed.at(-1)?.offsets ?? {},
    imported: importedOf(events),
  };
}

/** What a call brought back. */
type Outcome = Omit<ObservationView, 'args' | 'guards'>;

/** What a judge reads of a step, and whether it may. */
export type SpokenTurn = Omit<Turn, 'head' | 'observations'> & {
  observations: Outcome[];
  head: Pick<StepDetail['head'], 'step' | 'kind' | 'done'>;
  /** Texts of it are gone. */
  purged: boolean;
};

/**
 * Steps `from..to` of a run as `readTurn` gives each, but for what its calls were started with, for whoever reads thousands: one
 * query for all of them. Ascending; a step that has no row yet is left out. @throws WaymarkError workspace_corrupt
 */
export function readTurns(context: ReadContext, run: RunRecord, from: number, to: number): SpokenTurn[] {
  const rows = context.statements.all<TurnRow>(
    'SELECT id, seq0, seq1, kind, marks FROM step_head WHERE id BETWEEN ? AND ? ORDER BY id',
    rowId(run.id, from),
    rowId(run.id, to),
  );
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const events = readKinds(context, run, first.seq0, last.seq1, JUDGED);
  const isWhole = !hasPurgedTexts(context, run);
  let next = 0;
  return rows.map(({ id, seq0, seq1, kind, marks }) => {
    const step = seqOf(id);
    while ((events[next]?.seq ?? seq0) < seq0) next += 1;
    const own: RunEvent[] = [];
    for (let at = next; at < events.length; at += 1) {
      const event = events[at];
      if (event === undefined || event.seq > seq1) break;
      if (isOf(event, step)) own.push(event);
    }
    return {
      ...spokenIn(answerOf(own, run.ulid, step), own, outcomeOf),
      head: { step, kind, done: (marks & HeadMark.done) !== 0 },
      purged: !isWhole && isPurged(context, run, seq0, seq1),
    };
  });
}

/** Columns of a step head that say where its events are. */
interface TurnRow {
  id: number;
  seq0: number;
  seq1: number;
  kind: StepDetail['head']['kind'];
  marks: number;
}

/** A part of `readStep`; `purged`: texts of it are gone. Throws `not_found`. */
export function readTurn(context: ReadContext, ulid: string, step: number): Turn & { purged: boolean } {
  const found = findStep(context, ulid, step);
  const { run, seq0, seq1 } = found;
  return { ...turnOf(found), purged: isPurged(context, run, seq0, seq1) };
}

function hasPurgedTexts({ statements }: ReadContext, run: RunRecord): boolean {
  return statements.get("SELECT 1 FROM tombstone WHERE run = ? AND mode = 'text'", run.id) !== undefined;
}

function isPurged({ statements }: ReadContext, run: RunRecord, seq0: number, seq1: number): boolean {
  const found = statements.get(
    'SELECT 1 FROM event WHERE id BETWEEN ? AND ? AND purged = 1 LIMIT 1',
    rowId(run.id, seq0),
    rowId(run.id, seq1),
  );
  return found !== undefined;
}

function turnOf({ head, body, events }: FoundStep): Turn {
  return { head, ...spokenIn(body, events, observationOf) };
}

type Answer = EventBody<'model.answered'>;
/** A call of an answer, and why it was refused. */
type Called = { index: number; call: Answer['calls'][number]; invalid: string | null };

/** `observe`: what is told of a call. */
function spokenIn<T>(
  body: Answer,
  events: readonly RunEvent[],
  observe: (called: Called, events: readonly RunEvent[]) => T,
) {
  const hints = events.flatMap((event) => (event.kind === 'hint.delivered' ? [event.body.text] : []));
  return {
    text: body.text,
    reasoning: body.reasoning,
    observations: body.calls.map((call, index) =>
      observe({ index, call, invalid: body.invalid[index] ?? null }, events),
    ),
    hintText: hints.length > 0 ? hints.join('') : null,
  };
}

function findStep(context: ReadContext, ulid: string, step: number): FoundStep {
  const run = findRun(context, ulid);
  const found = readHead(context, run, bounded(step, 0, 2 ** 31, 'The step'));
  if (found === undefined) {
    throw new WaymarkError('not_found', `Run ${ulid} has no step ${step}; it has ${run.state.steps}.`);
  }
  const { seq0, seq1, head } = found;
  const events = readKinds(context, run, seq0, seq1, SHOWN).filter((event) => isOf(event, step));
  return { run, seq0, seq1, head, body: answerOf(events, ulid, step), events };
}

function answerOf(events: readonly RunEvent[], ulid: string, step: number): EventBody<'model.answered'> {
  const answer = events.find((event) => event.kind === 'model.answered');
  if (answer?.kind !== 'model.answered') {
    throw new WaymarkError(
      'workspace_corrupt',
      `The answer of step ${step} is missing. Run "verify".`,
      `run ${ulid}`,
    );
  }
  return answer.body;
}

/** Hints of the step before stand between its last event and this step's first request. */
function isOf(event: RunEvent, step: number): boolean {
  return 'step' in event.body && event.body.step === step;
}

function importedOf(events: readonly RunEvent[]): StepDetail['imported'] {
  const found = events.find((event) => event.kind === 'step.imported');
  return found?.kind === 'step.imported' ? { source: found.body.source, unknown: found.body.unknown } : null;
}

function outcomeOf({ index, call, invalid }: Called, events: readonly RunEvent[]): Outcome {
  const closed = events.find((event) => event.kind === 'action.observed' && event.body.call === index);
  const observed = closed?.kind === 'action.observed' ? closed.body : null;
  return {
    call: index,
    callId: call.id,
    name: call.name,
    rawArguments: call.arguments,
    invalid,
    ok: observed?.ok ?? null,
    error: observed?.error ?? null,
    text: observed?.text ?? '',
    data: observed?.data ?? {},
    durationMs: observed?.durationMs ?? null,
    closedBy: observed?.closedBy ?? null,
    images: (observed?.images ?? []).map(imageRef),
  };
}

function observationOf(called: Called, events: readonly RunEvent[]): ObservationView {
  const { index } = called;
  const started = events.find((event) => event.kind === 'action.started' && event.body.call === index);
  const action = started?.kind === 'action.started' ? started.body : null;
  const outcome = outcomeOf(called, events);
  const guards = [...(action?.guards ?? []), ...noticesOf(outcome.data)];
  return { ...outcome, args: action?.args ?? null, guards };
}

/** The notes stand where it happened, which is this step or a later one. */
function shortenedOf(
  context: ReadContext,
  run: RunRecord,
  step: number,
  seq0: number,
): StepDetail['shortened'] {
  return context.statements
    .all<{ body: string }>(
      'SELECT body FROM note WHERE id BETWEEN ? AND ? AND body LIKE ? ORDER BY id',
      rowId(run.id, seq0),
      rowId(run.id, run.seq),
      `{"kind":"shortened","step":${step},%`,
    )
    .flatMap(({ body }) => {
      const note = JSON.parse(body) as StepNote;
      return note.kind === 'shortened' ? [{ was: note.was, kept: note.kept }] : [];
    });
}

/** Best score of any evaluation up to and including this step. */
function bestScore(context: ReadContext, run: RunRecord, step: number): number | null {
  const row = context.statements.get<{ best: number | null }>(
    'SELECT max(score) AS best FROM evaluation WHERE id BETWEEN ? AND ? AND step <= ?',
    rowId(run.id, 0),
    rowId(run.id, run.seq),
    step,
  );
  return row?.best ?? null;
}
