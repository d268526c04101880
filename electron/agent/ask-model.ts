import type { EventBody, NewEvent } from '@shared/events';
import { hintBlock } from '@shared/human-tag';
import { backOff } from './back-off';
import { budgetTail, leftMs, type NoRoom, roomFor, withTimeLimit } from './budget';
import { pauseRun, restWithoutRoom } from './come-to-rest';
import type { Lap, Loop } from './loop-types';
import type { ModelAnswer, ModelFailure, ModelRequest } from './ports';
import { answerEvents, readAnswer } from './read-answer';
import { mendRefusedParameter } from './refused-parameter';

/**
 * Asks for the next step until an answer is in the log, or the run comes to rest. Hints that are due go into the
 * log in one transaction with the request that carries them, or not at all (semantics, Hints).
 */
export async function askModel(loop: Loop): Promise<Lap> {
  const { ports, state, options } = loop;
  const step = state.run.step + 1;
  for (let failures = 0, fresh = false; ; ) {
    if (ports.control.asked() !== null || ports.control.changes().length > 0 || leftMs(loop) === 0) {
      return 'next';
    }
    const request = await recordRequest(loop, step, fresh);
    if (request === 'raced') {
      fresh = true;
      continue;
    }
    if (request === 'full') {
      return pauseRun(loop, 'context_full', fullMessage(options.contextTokens));
    }
    if ('ok' in request) {
      return restWithoutRoom(loop, request);
    }
    fresh = false;
    const { result, startedAt } = await ask(loop, step, request);
    if (result === 'halted') {
      return 'next';
    }
    if (result.ok) {
      await recordAnswer(loop, step, result.answer, ports.clock.monotonic() - startedAt);
      return 'next';
    }
    failures += 1;
    const { failure } = result;
    const again = failure.retryable && failures < options.retry.attempts;
    const delay = again ? backOff(failures, failure.retryAfterMs, options.retry, ports.random()) : null;
    await ports.recorder.record([failedEvent(loop, step, failure, delay)]);
    if (delay === null && (await mendRefusedParameter(loop, failure))) {
      continue;
    }
    if (delay === null) {
      return pauseRun(loop, failure.code, pauseMessage(failure, failures));
    }
    await pauseBetweenTries(loop, delay);
  }
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
  if (tokensEstimate > options.contextTokens) {
    return 'full';
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
    },
  };
  const delivered: NewEvent[] =
    hints.length === 0 ? [] : [{ kind: 'hint.delivered', body: { step: step - 1, hints, text: hint } }];
  const { raced } = await ports.recorder.recordIfOutboxAt(head, [...delivered, requested]);
  return raced ? 'raced' : { body, sha256 };
}

async function ask(loop: Loop, step: number, request: ModelRequest) {
  const { ports } = loop;
  const limit = withTimeLimit([ports.control.haltThinking], leftMs(loop));
  const startedAt = ports.clock.monotonic();
  ports.live.emit({ kind: 'state', state: 'thinking', until: null });
  try {
    const result = await ports.model.ask(
      request,
      ({ text, reasoning, call }) => {
        const piece = call === undefined ? undefined : (call.name ?? '') + (call.arguments ?? '');
        ports.live.emit({
          kind: 'delta',
          step,
          ...(text === undefined ? {} : { text }),
          ...(reasoning === undefined ? {} : { reasoning }),
          ...(piece === undefined ? {} : { call: piece }),
        });
      },
      limit.signal,
    );
    if (!result.ok && limit.signal.aborted) {
      await ports.recorder.record([failedEvent(loop, step, cancelled(limit.timedOut()), null)]);
      return { result: 'halted' as const, startedAt };
    }
    return { result, startedAt };
  } finally {
    limit.done();
  }
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
    durationMs: Math.max(0, Math.round(durationMs)),
  };
  await ports.recorder.record(answerEvents(body, taught));
}

function failedEvent(
  loop: Loop,
  step: number,
  failure: { code: string; message: string; status: number | null },
  retryInMs: number | null,
): NewEvent {
  const { code, message, status } = failure;
  const attempt = loop.state.run.requested?.attempt ?? 1;
  return { kind: 'model.failed', body: { step, attempt, code, message, status, retryInMs } };
}

function cancelled(timedOut: boolean) {
  const message = timedOut
    ? 'The working time was used up before the model had answered.'
    : 'The request was cancelled because the run was paused or stopped; it is asked again on resume.';
  return { code: 'cancelled', message, status: null };
}

async function pauseBetweenTries(loop: Loop, ms: number): Promise<void> {
  const { ports } = loop;
  // Another model, or another limit, is worth a try at once.
  const changed = new AbortController();
  const unsubscribe = ports.control.onChangeAsked(() => changed.abort());
  if (ports.control.changes().length > 0) changed.abort();
  const limit = withTimeLimit([ports.control.haltThinking, changed.signal], leftMs(loop));
  ports.live.emit({ kind: 'state', state: 'thinking', until: ports.clock.now() + ms });
  try {
    await ports.clock.sleep(ms, limit.signal);
  } catch (error) {
    if (!limit.signal.aborted) {
      throw error;
    }
  } finally {
    unsubscribe();
    limit.done();
  }
}

function pauseMessage(failure: ModelFailure, failures: number): string {
  return failure.retryable
    ? `${failure.message} Tried ${failures} times. Resume the run to try again.`
    : `${failure.message} Resume the run once this is mended.`;
}

function fullMessage(contextTokens: number): string {
  return `The context has reached its limit of ${contextTokens.toLocaleString('en-US')} tokens. Start a run with a larger limit if the model allows it.`;
}
