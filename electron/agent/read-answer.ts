import type { ModelCall } from '@shared/event-parts';
import type { EventBody, NewEvent } from '@shared/events';
import { isRefusal } from '@shared/run-fold';
import { wellFormed } from '@shared/well-formed';
import type { ActionPort, ModelAnswer } from './ports';

/** More calls in one answer than this are not run. */
const MOST_CALLS = 32;

type Answered = Pick<
  EventBody<'model.answered'>,
  'kind' | 'text' | 'reasoning' | 'calls' | 'invalid' | 'finishReason' | 'model' | 'usage'
>;

/**
 * Judges an answer: which calls are valid, and the sentence that teaches when some are not (semantics, Words).
 * Nothing is repaired and no call is made up; only missing or repeated call ids are given a name.
 */
export function readAnswer(
  answer: ModelAnswer,
  stepId: string,
  actions: Pick<ActionPort, 'parse' | 'tools'>,
): { answered: Answered; taught: string | null } {
  const calls = nameCalls(answer.calls, stepId);
  const offered = new Set(actions.tools().map((tool) => tool.function.name));
  const invalid = calls.map((call, index) => problemOf(call, index, offered, actions));
  const valid = calls.filter((_, index) => invalid[index] === null);
  const kind = valid.length === 0 ? 'null' : valid.every(({ name }) => name === 'think') ? 'think' : 'act';
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
    taught: teaching(calls, invalid, answer.finishReason, [...offered]),
  };
}

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

function problemOf(
  call: ModelCall,
  index: number,
  offered: ReadonlySet<string>,
  actions: Pick<ActionPort, 'parse'>,
): string | null {
  if (index >= MOST_CALLS) {
    return `Only the first ${MOST_CALLS} calls of an answer are run.`;
  }
  if (!offered.has(call.name)) {
    return call.name === '' ? 'The call names no tool.' : `There is no tool "${call.name.slice(0, 80)}".`;
  }
  const parsed = actions.parse(call.name, call.arguments);
  return parsed.ok ? null : parsed.problem;
}

function teaching(
  calls: readonly ModelCall[],
  invalid: readonly (string | null)[],
  finishReason: string | null,
  offered: readonly string[],
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
    return `You declined, or a filter stopped your answer, so nothing was done. The task still stands: take a step that you can take by calling one of the tools: ${offered.join(', ')}. If you cannot do a part of it, say which, and go on with the rest.`;
  }
  if (calls.length === 0) {
    return `Your answer held no tool call, so nothing was done.${cut} Go on by calling one of the tools: ${offered.join(', ')}. When the task is complete, call finish.`;
  }
  if (problems.length === 0) {
    return null;
  }
  const which = problems.length === calls.length ? 'Nothing was done' : 'These calls were not run';
  return `${which}:\n${problems.join('\n')}\n${cut === '' ? '' : `${cut.trim()}\n`}Call a tool with arguments that are one JSON object and match its schema.`;
}
