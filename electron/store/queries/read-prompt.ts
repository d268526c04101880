import { type ContextFold, tailOf } from '@shared/context/context';
import { placedTokens } from '@shared/context/context-entry';
import { WaymarkError } from '@shared/contract/errors';
import type { PromptMessage, PromptView } from '@shared/contract/views';
import { contentText, withText } from '@shared/log/chat';
import type { EventBody } from '@shared/log/events';
import { imageRef } from '@shared/log/image-part';
import { LAST_SEQ, rowId, seqOf } from '../file/rows';
import { contextAt } from '../log/context-at';
import { sha256 } from '../log/hashing';
import { ownersOf } from '../log/run-owners';
import type { OfferedTool } from '../values';
import {
  bounded,
  findRun,
  isImported,
  type ReadContext,
  type RunRecord,
  readEvents,
  stepSpan,
} from './read-context';

/** The exact request of a step, rebuilt from the log and compared with the hash recorded when it was sent. */
export function readPrompt(context: ReadContext, ulid: string, step: number): PromptView {
  const run = findRun(context, ulid);
  const seq = requestSeq(context, run, bounded(step, 0, 2 ** 31, 'The step'));
  const request = readRequest(context, run, seq);
  const fold = contextAt(context, run, request === null ? seq - 1 : seq);
  const view = promptView(fold, run.ulid, step, request ?? { sha256: '', tail: '' });
  return view.verified || !isPurged(context, run) ? view : { ...view, purged: true };
}

function isPurged({ statements }: ReadContext, { id }: RunRecord): boolean {
  return statements.get("SELECT 1 FROM tombstone WHERE run = ? AND mode = 'text'", id) !== undefined;
}

function promptView(
  fold: ContextFold,
  ulid: string,
  step: number,
  request: Pick<EventBody<'model.requested'>, 'sha256' | 'tail' | 'kept'>,
): PromptView {
  const tail = tailOf(request);
  const body = fold.requestBody({ tail });
  const rebuilt = sha256(body).toString('hex');
  return {
    run: ulid,
    step,
    sha256: request.sha256,
    rebuiltSha256: rebuilt,
    verified: rebuilt === request.sha256,
    bytes: Buffer.byteLength(body),
    messages: promptMessages(fold, tail),
    ...fold.sent,
    tail,
    line: fold.line,
  };
}

/** The request that was answered, else the latest one. */
function requestSeq(context: ReadContext, run: RunRecord, step: number): number {
  const head = stepSpan(context, run, step);
  const pending = run.state.requested?.step === step ? run.state.requested.seq : undefined;
  const from = head?.seq0 ?? pending;
  if (from === undefined) {
    throw new WaymarkError('not_found', `Run ${run.ulid} has sent no request for step ${step}.`);
  }
  const range = [rowId(run.id, from), rowId(run.id, head?.seq1 ?? run.seq)];
  // However many retries and other events lie between: a step may have waited for days.
  const row = context.statements.get<{ id: number | null }>(
    `SELECT max(id) AS id FROM event WHERE id BETWEEN ? AND ? AND kind = 'model.requested' AND id < coalesce(
       (SELECT min(id) FROM event WHERE id BETWEEN ? AND ? AND kind = 'model.answered'), ?)`,
    ...[...range, ...range, rowId(run.id, LAST_SEQ)],
  );
  return row?.id == null ? from : seqOf(row.id);
}

/** Null for an imported step, whose first event is its answer. */
function readRequest(context: ReadContext, run: RunRecord, seq: number): EventBody<'model.requested'> | null {
  const [event] = readEvents(context, run, seq, seq, 1);
  if (event?.kind === 'model.answered' && isImported(context, run)) return null;
  if (event?.kind !== 'model.requested') {
    throw new WaymarkError(
      'workspace_corrupt',
      `Event ${seq} of run ${run.ulid} is not a request. Run "verify".`,
    );
  }
  return event.body;
}

function promptMessages(fold: ContextFold, tail: string): PromptMessage[] {
  const placed = fold.messages();
  return placed.map(({ message, step, images }, index) => {
    const sent = index === placed.length - 1 && tail !== '' ? withText(message, tail) : message;
    const shown = images === undefined ? {} : { images: images.map(imageRef) };
    const tokens = placedTokens({ message: sent, ...(images === undefined ? {} : { images }) });
    return {
      role: sent.role,
      json: JSON.stringify(sent),
      content: contentText(sent),
      ...shown,
      tokens,
      step,
    };
  });
}

/** What the model could call when it made the step; empty when the log does not say (imports, purged texts). */
export function readOfferedTools(context: ReadContext, ulid: string, step: number): OfferedTool[] {
  const { run } = ownersOf(context, findRun(context, ulid), step, step)[0] ?? { run: null };
  if (run === null) {
    return [];
  }
  const head = context.statements.get<{ kind: string }>(
    'SELECT kind FROM step_head WHERE id = ?',
    rowId(run.id, step),
  );
  // A summary turn is offered one tool of its own.
  if (head?.kind === 'summary') {
    return [];
  }
  const end = stepSpan(context, run, step)?.seq0 ?? LAST_SEQ;
  const started = context.statements.get<{ id: number | null }>(
    'SELECT max(id) AS id FROM segment WHERE id BETWEEN ? AND ?',
    rowId(run.id, 1),
    rowId(run.id, end),
  );
  if (started?.id == null) {
    return [];
  }
  const [event] = readEvents(context, run, seqOf(started.id), seqOf(started.id), 1);
  return event?.kind === 'segment.started' ? event.body.tools.map(({ function: tool }) => tool) : [];
}
