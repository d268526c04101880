import type { RetroMask } from '@shared/contract/ipc/labels';
import { standingIds } from '@shared/labels/annotation-undo';
import { argumentText, proposeRetroMask, RETRO_STEPS, type RetroStep } from '@shared/labels/retro-mask';
import { rowId, seqOf } from '../file/rows';
import { decodeEvent, EVENT_COLUMNS, type EventRow } from '../log/event-codec';
import { RangeIndex } from '../log/range-index';
import { HintProjection } from '../projections/hint-projection';
import { findRun, type ReadContext, type RunRecord } from './read-context';

/** The reason a person gives when they mask what a hint contradicts; by it an accepted proposal is known. */
const REASON = 'contradicts-hint';
/** Of the newest hints so many are looked at; who has more open ones sees the others when these are answered. */
const MAX_OPEN = 40;
/** Characters of a step that are looked at: whole thoughts, and of a file that was written its beginning. */
const MAX_TEXT = 20_000;

/** A delivered hint that may contradict something, and the first of the steps it could speak of. */
export type OpenHint = Pick<RetroMask, 'hint' | 'number' | 'text' | 'delivered'> & { first: number };

/**
 * Delivered hints that the person has not dismissed and whose steps nobody has masked for contradicting a hint, in the order of
 * delivery. The steps are those sampled in the segment the hint came into, after the hint before it, at most sixty.
 * Throws `not_found`.
 */
export function readOpenHints(context: ReadContext, ulid: string, author: string): OpenHint[] {
  const run = findRun(context, ulid);
  const dismissed = new Set(
    context.statements
      .all<{ hint: string }>('SELECT hint FROM retro_seen WHERE run = ? AND author = ?', run.id, author)
      .map(({ hint }) => hint),
  );
  const delivered = new HintProjection(context.statements)
    .views(run.id)
    .flatMap(({ id, number, text, state, step }) =>
      state === 'delivered' && step !== null && step > 0 ? [{ hint: id, number, text, delivered: step }] : [],
    )
    .sort((a, b) => a.delivered - b.delivered || a.number - b.number);
  const open: OpenHint[] = [];
  for (const hint of [...delivered].reverse()) {
    if (open.length === MAX_OPEN) break;
    if (dismissed.has(hint.hint)) continue;
    const before = delivered.findLast((other) => other.delivered < hint.delivered)?.delivered ?? 0;
    const first = Math.max(before + 1, segmentStart(context, run, hint.delivered));
    if (!isAccepted(context, run, first, hint.delivered)) open.unshift({ ...hint, first });
  }
  return open;
}

/** What one hint contradicts; null when no step shares a telling word with it, or its steps are gone. Throws `not_found`. */
export function readRetroMask(context: ReadContext, ulid: string, hint: OpenHint): RetroMask | null {
  const run = findRun(context, ulid);
  const { first, ...shown } = hint;
  const found = proposeRetroMask(hint.text, stepsBefore(context, run, first, hint.delivered));
  return found === null ? null : { run: ulid, ...shown, ...found };
}

/** First of the last sixty steps that were sampled in the segment of this one. */
function segmentStart(context: ReadContext, run: RunRecord, step: number): number {
  const row = context.statements.get<{ id: number | null }>(
    `SELECT min(id) AS id FROM step_head
     WHERE id BETWEEN ? AND ? AND segment = (SELECT segment FROM step_head WHERE id = ?)`,
    rowId(run.id, Math.max(1, step - RETRO_STEPS + 1)),
    rowId(run.id, step),
    rowId(run.id, step),
  );
  return row?.id == null ? step : seqOf(row.id);
}

function isAccepted(context: ReadContext, run: RunRecord, from: number, to: number): boolean {
  const entries = new RangeIndex(context.statements).overlapping(run.id, [{ from, to }]);
  const masks = entries.filter(
    ({ body }) =>
      (body.op === 'label' || body.op === 'adjudicate') && body.value === 'mask' && body.reason === REASON,
  );
  if (masks.length === 0) return false;
  const standing = standingIds(entries);
  return masks.some(({ ulid }) => standing.has(ulid));
}

function stepsBefore(context: ReadContext, run: RunRecord, from: number, to: number): RetroStep[] {
  const span = context.statements.get<{ low: number | null; high: number | null }>(
    'SELECT min(seq0) AS low, max(seq1) AS high FROM step_head WHERE id BETWEEN ? AND ?',
    rowId(run.id, from),
    rowId(run.id, to),
  );
  if (span?.low == null || span.high === null) return [];
  return context.statements
    .all<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM event
       WHERE id BETWEEN ? AND ? AND kind = 'model.answered' AND purged = 0 ORDER BY id LIMIT ${RETRO_STEPS}`,
      rowId(run.id, span.low),
      rowId(run.id, span.high),
    )
    .flatMap((row) => {
      const event = decodeEvent(row, run.ulid, (sha) => context.blobs.read(sha), false);
      if (event.kind !== 'model.answered') return [];
      const { step, text, calls } = event.body;
      const said = calls.map((call) => `${call.name}\n${argumentText(call.arguments)}`);
      return [{ step, text: [text, ...said].join('\n').slice(0, MAX_TEXT) }];
    });
}
