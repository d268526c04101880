import { hintBlock } from '@shared/context/human-tag';
import { imagesToLeaveOut } from '@shared/context/image-room';
import type { EventBody, NewEvent } from '@shared/log/events';
import { askUntilAnswered } from './ask-until-answered';
import { budgetTail, type NoRoom, roomFor } from './budget';
import { makeRoom } from './context-limit';
import type { Lap, Loop } from './loop-types';
import type { ModelAnswer, ModelRequest } from './ports';
import { answerEvents, readAnswer } from './read-answer';
import { summarise } from './summarise';

/**
 * Asks for the next step until an answer is in the log, or the run comes to rest. Hints that are due go into the
 * log in one transaction with the request that carries them, or not at all (semantics, Hints). A context that is too
 * large is made smaller first, and of images only as many are sent as a request may hold.
 */
export async function askModel(loop: Loop): Promise<Lap> {
  const { run } = loop.state;
  if (run.summarising !== null) {
    return summarise(loop);
  }
  const tooMany = imagesToLeaveOut(loop.state.context);
  if (tooMany !== null) {
    await loop.ports.recorder.record([{ kind: 'context.images_left_out', body: tooMany }]);
    return 'next';
  }
  const step = run.step + 1;
  const asked = await askUntilAnswered(loop, step, (fresh) => recordRequest(loop, step, fresh));
  if (asked === 'full' || asked === 'too_long') {
    return makeRoom(loop, asked === 'full' ? 'limit' : 'model');
  }
  if (typeof asked === 'string') {
    return asked;
  }
  await recordAnswer(loop, step, asked.answer, asked.durationMs);
  return 'next';
}

async function recordRequest(
  loop: Loop,
  step: number,
  fresh: boolean,
): Promise<ModelRequest | NoRoom | 'raced' | 'full'> {
  const { ports, state, options } = loop;
  const { head, hints } = await ports.hints.due(fresh);
  const hint = hintBlock(hints.map(({ text }) => text));
  const extras = { tail: budgetTail(loop), hint };
  const tokensEstimate = state.context.tokens(extras);
  // A summary turn has no observation: the step before it carries the hint.
  const carrier = state.context.entries.at(-1)?.step ?? 0;
  const delivered: NewEvent[] =
    hints.length === 0 ? [] : [{ kind: 'hint.delivered', body: { step: carrier, hints, text: hint } }];
  if (tokensEstimate > options.contextTokens) {
    // Hints join the last observation before the context is summarised (APOLLO Algorithm 1, l. 12-16).
    const { raced } =
      hints.length === 0 ? { raced: false } : await ports.recorder.recordIfOutboxAt(head, delivered);
    return raced ? 'raced' : 'full';
  }
  const room = roomFor(loop, tokensEstimate);
  if (!room.ok) {
    return room;
  }
  const { sha256, bytes } = state.hash.of(extras);
  const body = state.context.requestBody(extras);
  const attempt = state.run.requested?.step === step ? state.run.requested.attempt + 1 : 1;
  const requested: NewEvent = {
    kind: 'model.requested',
    body: {
      step,
      attempt,
      sha256,
      bytes,
      messages: state.context.messageCount,
      tokensEstimate,
      tail: extras.tail,
      kept: true,
    },
  };
  const { raced } = await ports.recorder.recordIfOutboxAt(head, [...delivered, requested]);
  return raced ? 'raced' : { body, sha256 };
}

async function recordAnswer(
  loop: Loop,
  step: number,
  answer: ModelAnswer,
  durationMs: number,
): Promise<void> {
  const { ports } = loop;
  const stepId = ports.id();
  const { answered, taught } = readAnswer(answer, stepId, ports.actions);
  const body: EventBody<'model.answered'> = {
    step,
    stepId,
    ...answered,
    cost: ports.cost(answer),
    durationMs,
  };
  await ports.recorder.record(answerEvents(body, taught));
}
