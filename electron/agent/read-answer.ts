import { fewOf } from '@shared/base/bounded-text';
import { wellFormed } from '@shared/base/clean-text';
import type { ModelCall } from '@shared/log/event-parts';
import type { EventBody, NewEvent } from '@shared/log/events';
import { isRefusal } from '@shared/runs/run-fold';
import type { ActionPort, ModelAnswer } from './ports';

type Answered = Pick<
  EventBody<'model.answered'>,
  'kind' | 'text' | 'reasoning' | 'calls' | 'invalid' | 'finishReason' | 'model' | 'usage'
>;

/**
 * Judges an answer: which calls can be read as calls, and the sentence that teaches when some cannot (semantics, Words).
 * One that can be read stays a call, also when there is no such tool or its arguments do not fit: `act` answers it with what
 * is wrong. Nothing is repaired and no call is made up; only missing or repeated call ids are given a name.
 */
export function readAnswer(
  answer: ModelAnswer,
  stepId: string,
  actions: Pick<ActionPort, 'parse' | 'tools'>,
): { answered: Answered; taught: string | null } {
  const calls = nameCalls(answer.calls, stepId);
  const parsed = calls.map((call) => actions.parse(call.name, call.arguments));
  const invalid = parsed.map((each) => (each.ok || each.readable ? null : each.problem));
  const valid = parsed.filter((_, index) => invalid[index] === null);
  const thinks = valid.every((each) => each.ok && each.call.name === 'think');
  const kind = valid.length === 0 ? 'null' : thinks ? 'think' : 'act';
  return {
    answered: {
      kind,
      text: wellFormed(answer.text),
      reasoning: wellFormed(answer.reasoning),
      calls,
      invalid,
      finishReason: answer.finishReason === null ? null : wellFormed(answer.finishReason),
      model: wellFormed(answer.model),
      usage: answer.usage,
    },
    taught: teaching(calls, invalid, answer.finishReason, () =>
      actions.tools().map((tool) => tool.function.name),
    ),
  };
}

/** Calls of one answer that are told apart in the message that teaches. */
const MOST_TAUGHT = 8;

/** The events of an answer, to be recorded together. */
export function answerEvents(answered: EventBody<'model.answered'>, taught: string | null): NewEvent[] {
  const events: NewEvent[] = [{ kind: 'model.answered', body: answered }];
  return taught === null
    ? events
    : [...events, { kind: 'step.taught', body: { step: answered.step, text: taught } }];
}

/** The calls of an answer as they are stored: missing or repeated ids get a name, half characters are replaced. */
export function nameCalls(calls: ModelAnswer['calls'], stepId: string): ModelCall[] {
  const taken = new Set<string>();
  return calls.map((call, index) => {
    const own = wellFormed(call.id);
    const id = own === '' || taken.has(own) ? `call_${stepId}_${index + 1}` : own;
    taken.add(id);
    return { id, name: wellFormed(call.name), arguments: wellFormed(call.arguments) };
  });
}

function teaching(
  calls: readonly ModelCall[],
  invalid: readonly (string | null)[],
  finishReason: string | null,
  offered: () => string[],
): string | null {
  const problems = calls.flatMap((call, index) => {
    const problem = invalid[index];
    return problem === null || problem === undefined
      ? []
      : [`- ${call.name.slice(0, 80) || '(no name)'}: ${problem}`];
  });
  const cut =
    finishReason === 'length'
      ? ' Your answer was cut off at the token limit: write shorter answers, and large files in parts.'
      : '';
  if (calls.length === 0 && isRefusal(finishReason)) {
    return `You declined, or a filter blocked your answer, so nothing was done. The task has not changed: take a step that you can take by calling one of the tools: ${offered().join(', ')}. If you cannot do part of it, say which part and continue with the rest.`;
  }
  if (calls.length === 0) {
    return `Your answer contained no tool call, so nothing was done.${cut} Continue by calling one of these tools: ${offered().join(', ')}. When the task is complete, call finish.`;
  }
  if (problems.length === 0) {
    return null;
  }
  const which = problems.length === calls.length ? 'Nothing was done' : 'These calls were not run';
  return `${which}:\n${fewOf(problems, MOST_TAUGHT).join('\n')}\n${cut === '' ? '' : `${cut.trim()}\n`}Call again by the name of a tool, with one JSON object as the arguments.`;
}
