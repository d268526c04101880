import { wellFormed } from '@shared/base/clean-text';
import { readSummary, renderSummary } from '@shared/context/summary';
import { missingIn } from '@shared/context/summary-missing';
import { nextHead, summarised, tokensAfter } from '@shared/context/summary-plan';
import { WaymarkError } from '@shared/contract/errors';
import type { EventBody, NewEvent } from '@shared/log/events';
import { type Answered, askUntilAnswered } from './ask-until-answered';
import { type NoRoom, roomFor } from './budget';
import { pauseRun } from './come-to-rest';
import { shortenSummarised } from './context-limit';
import type { Lap, Loop } from './loop-types';
import type { ModelRequest } from './ports';
import { nameCalls } from './read-answer';
import { rejectedTail } from './summarise-texts';

type Started = EventBody<'summary.started'>;

/** Unusable summaries in a row before the run pauses. */
const MOST_REJECTED = 4;

/**
 * Takes a summary turn one try further (APOLLO §3.1.3). It asks what the log says: a resumed run sends the same bytes. An
 * answer that is no usable summary is paid for, written down, and asked for again with what was wrong; nothing is dropped.
 */
export async function summarise(loop: Loop): Promise<Lap> {
  const turn = loop.state.context.summary;
  if (turn === null) {
    return 'next';
  }
  const { started, rejected, problem } = turn;
  if (rejected >= MOST_REJECTED) {
    return pauseRun(
      loop,
      'summary_failed',
      `The context is full, and ${rejected} summaries in a row could not be used. The last time: ${problem} Nothing was dropped. Resume the run to try again, perhaps with another model.`,
    );
  }
  const asked = await askUntilAnswered(loop, started.step, () => recordRequest(loop, started.step));
  if (asked === 'full' || asked === 'too_long') {
    return shortenSummarised(loop, started);
  }
  if (typeof asked === 'string') {
    return asked;
  }
  const { ports } = loop;
  const read = readSummary(asked.answer, started.hints);
  const events = read.ok
    ? acceptedEvents(loop, started, asked, renderSummary(read.summary))
    : [rejectedEvent(loop, started, asked, read.problem)];
  await ports.recorder.record(events);
  return 'next';
}

/** Summary turns flush no hints; they wait for the next step. */
async function recordRequest(loop: Loop, step: number): Promise<ModelRequest | NoRoom> {
  const { ports, state } = loop;
  const { problem = null, untold = false } = state.context.summary ?? {};
  const tail = rejectedTail(untold ? problem : null);
  const tokensEstimate = state.context.tokens({ tail });
  const room = roomFor(loop, tokensEstimate);
  if (!room.ok) {
    return room;
  }
  const { sha256, bytes } = state.hash.of({ tail });
  const body = state.context.requestBody({ tail });
  const attempt = state.run.requested?.step === step ? state.run.requested.attempt + 1 : 1;
  const messages = state.context.messageCount;
  await ports.recorder.record([
    {
      kind: 'model.requested',
      body: { step, attempt, sha256, bytes, messages, tokensEstimate, tail, kept: true },
    },
  ]);
  return { body, sha256 };
}

/** In one transaction: the answer, what it no longer mentions, and the context that rests on it. */
function acceptedEvents(loop: Loop, started: Started, asked: Answered, summary: string): NewEvent[] {
  const { context } = loop.state;
  const { step, carried } = started;
  const { messages, last } = summarised(context, started);
  if (last === undefined) {
    throw new WaymarkError('bug', `The summary of step ${step} has no last step.`);
  }
  const { goOn } = loop.options.summary;
  const head = nextHead(context, { summary, goOn, last });
  const stepId = loop.ports.id();
  const answer = said(asked, stepId);
  return [
    {
      kind: 'model.answered',
      body: {
        step,
        stepId,
        kind: 'summary',
        ...answer,
        invalid: answer.calls.map(() => null),
        cost: loop.ports.cost(asked.answer),
        durationMs: asked.durationMs,
      },
    },
    {
      kind: 'summary.ended',
      body: {
        step,
        tokensBefore: started.tokens,
        tokensAfter: tokensAfter(context, head, carried),
        missing: missingIn(summary, {
          messages: messages.map(({ message }) => message),
          hints: started.hints,
        }),
      },
    },
    {
      kind: 'segment.started',
      body: {
        segment: started.segment + 1,
        head,
        tools: context.tools,
        request: context.request,
        summary: step,
        carried,
      },
    },
  ];
}

function rejectedEvent(loop: Loop, started: Started, asked: Answered, problem: string): NewEvent {
  const { step } = started;
  return {
    kind: 'summary.rejected',
    body: {
      step,
      attempt: loop.state.run.requested?.attempt ?? 1,
      problem,
      ...said(asked, `summary_${step}`),
      cost: loop.ports.cost(asked.answer),
      durationMs: asked.durationMs,
    },
  };
}

function said({ answer }: Answered, callPrefix: string) {
  return {
    text: wellFormed(answer.text),
    reasoning: wellFormed(answer.reasoning),
    calls: nameCalls(answer.calls, callPrefix),
    finishReason: answer.finishReason === null ? null : wellFormed(answer.finishReason),
    model: wellFormed(answer.model),
    usage: answer.usage,
  };
}
