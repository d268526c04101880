import type { ChatMessage } from '@shared/chat';
import { ContextFold } from '@shared/context';
import { WaymarkError } from '@shared/errors';
import type { EventBody, RunEvent } from '@shared/events';
import { estimateTokens, TOKENS_PER_MESSAGE } from '@shared/tokens';
import type { PromptMessage, PromptView } from '@shared/views';
import { sha256 } from './hashing';
import { rowId } from './ids';
import { bounded, findRun, type ReadContext, type RunRecord, readEvents, stepSpan } from './read-context';

const PAGE = 500;

/** The exact request of a step, rebuilt from the log and compared with the hash recorded when it was sent. */
export function readPrompt(context: ReadContext, ulid: string, step: number): PromptView {
  const run = findRun(context, ulid);
  const seq = requestSeq(context, run, bounded(step, 0, 2 ** 31, 'The step'));
  const fold = new ContextFold({ sendReasoning: run.facts.sendReasoning });
  const request = foldTo(context, run, fold, seq);
  const body = fold.requestBody({ tail: request.tail });
  const rebuilt = sha256(body).toString('hex');
  return {
    run: ulid,
    step,
    sha256: request.sha256,
    rebuiltSha256: rebuilt,
    verified: rebuilt === request.sha256,
    bytes: Buffer.byteLength(body),
    messages: promptMessages(fold, request.tail),
    tools: fold.tools,
    request: fold.request,
    tail: request.tail,
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
  let found = from;
  for (const event of readEvents(context, run, from, head?.seq1 ?? run.seq, PAGE)) {
    if (event.kind === 'model.answered') {
      break;
    }
    found = event.kind === 'model.requested' ? event.seq : found;
  }
  return found;
}

/** A segment starts from its own head, so nothing before it is needed. */
function foldTo(
  context: ReadContext,
  run: RunRecord,
  fold: ContextFold,
  seq: number,
): EventBody<'model.requested'> {
  const start = context.statements.get<{ id: number | null }>(
    'SELECT max(id) AS id FROM segment WHERE id BETWEEN ? AND ?',
    rowId(run.id, 0),
    rowId(run.id, seq),
  );
  let next = start?.id === null || start === undefined ? 1 : start.id - rowId(run.id, 0);
  for (let last: RunEvent | undefined; next <= seq; next = (last?.seq ?? seq) + 1) {
    const events = readEvents(context, run, next, seq, PAGE);
    for (const event of events) {
      fold.apply(event);
    }
    last = events.at(-1);
    if (last?.seq === seq && last.kind === 'model.requested') {
      return last.body;
    }
  }
  throw new WaymarkError(
    'workspace_corrupt',
    `Event ${seq} of run ${run.ulid} is not a request. Run "verify".`,
  );
}

function promptMessages(fold: ContextFold, tail: string): PromptMessage[] {
  const placed = fold.messages();
  return placed.map(({ message, step }, index) => {
    const sent: ChatMessage =
      index === placed.length - 1 && tail !== '' ? { ...message, content: message.content + tail } : message;
    const json = JSON.stringify(sent);
    const calls = sent.role === 'assistant' ? (sent.tool_calls ?? []) : [];
    const tokens = calls.reduce(
      (sum, call) => sum + estimateTokens(call.function.name + call.function.arguments),
      TOKENS_PER_MESSAGE + estimateTokens(sent.content),
    );
    return { role: sent.role, json, content: sent.content, tokens, step };
  });
}
