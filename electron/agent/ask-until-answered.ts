import type { NewEvent } from '@shared/log/events';
import { backOffMs } from '../base/back-off';
import { leftMs, type NoRoom, withTimeLimit } from './budget';
import { pauseRun, restWithoutRoom } from './come-to-rest';
import type { Lap, Loop, RetryOptions } from './loop-types';
import { ModelOutage } from './model-outage';
import type { ModelAnswer, ModelFailure, ModelRequest } from './ports';
import { mendRefusedParameter } from './refused-parameter';

/** What a server may make us wait at most when it names a time, ms. */
const LONGEST_ASKED_MS = 15 * 60_000;

export interface Answered {
  answer: ModelAnswer;
  durationMs: number;
}

/** Records the request that is to be sent. `full`: by our estimate the prompt is over the limit; nothing was recorded. */
export type RecordRequest = (fresh: boolean) => Promise<ModelRequest | NoRoom | 'raced' | 'full'>;

/**
 * Asks until there is an answer, or the run comes to rest: failures are written down and tried again as the options say.
 * `too_long`: the endpoint says that the prompt does not fit.
 */
export async function askUntilAnswered(
  loop: Loop,
  step: number,
  record: RecordRequest,
): Promise<Answered | 'full' | 'too_long' | Lap> {
  const { ports, options } = loop;
  const outage = new ModelOutage(loop);
  for (let failures = 0, fresh = false; ; ) {
    if (ports.control.asked() !== null || ports.control.changes().length > 0 || leftMs(loop) === 0) {
      return 'next';
    }
    const request = await record(fresh);
    if (request === 'raced') {
      fresh = true;
      continue;
    }
    if (request === 'full') {
      return 'full';
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
      await outage.over();
      const durationMs = Math.max(0, Math.round(ports.clock.monotonic() - startedAt));
      return { answer: result.answer, durationMs };
    }
    failures += 1;
    const { failure } = result;
    const again = await outage.goesOn(failure, failures);
    const delay = again ? pauseMs(failures, failure, options.retry, ports.random()) : null;
    await ports.recorder.record([failedEvent(loop, step, failure, delay)]);
    if (failure.code === 'context_full') {
      await outage.over();
      return 'too_long';
    }
    if (delay === null && (await mendRefusedParameter(loop, failure))) {
      continue;
    }
    if (delay === null) {
      return pauseRun(loop, failure.code, pauseMessage(failure, failures));
    }
    await pauseBetweenTries(loop, delay);
  }
}

/** Never less than what the server asked for, within reason. */
function pauseMs(
  failures: number,
  { retryAfterMs }: ModelFailure,
  retry: RetryOptions,
  random: number,
): number {
  return Math.max(
    backOffMs(failures, retry, random),
    Math.round(Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS)),
  );
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
      const failure = { ...cancelled(limit.timedOut()), outputTokens: result.failure.outputTokens };
      await ports.recorder.record([failedEvent(loop, step, failure, null)]);
      return { result: 'halted' as const, startedAt };
    }
    return { result, startedAt };
  } finally {
    limit.done();
  }
}

function failedEvent(
  loop: Loop,
  step: number,
  failure: Pick<ModelFailure, 'message' | 'status' | 'outputTokens'> & { code: string },
  retryInMs: number | null,
): NewEvent {
  const { code, message, status, outputTokens } = failure;
  const { attempt, tokens } = loop.state.run.requested ?? { attempt: 1, tokens: 0 };
  const body = { step, attempt, code, message, status, retryInMs };
  if (outputTokens === undefined) {
    return { kind: 'model.failed', body };
  }
  // An answer that had begun is charged for, and nobody says how much.
  const usage = { inputTokens: tokens, outputTokens, cachedTokens: 0, reasoningTokens: 0 };
  return { kind: 'model.failed', body: { ...body, usage, cost: loop.ports.cost({ usage }) } };
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
    : `${failure.message} Resume the run once this is fixed.`;
}
