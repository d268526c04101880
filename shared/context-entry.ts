import type { ChatMessage, ChatToolCall, PlacedMessage } from './chat';
import type { EventBody } from './events';
import { escapeHumanTag, escapeHumanTagInJson } from './human-tag';
import { estimateTokens, TOKENS_PER_MESSAGE } from './tokens';

/** What stays of a text that was shortened in the context, UTF-16 units of the whole text. */
export interface Kept {
  keepStart: number;
  keepEnd: number;
}

export interface EntryObservation {
  call: number;
  id: string;
  /** As the model reads it, hints apart. */
  text: string;
  hints: string;
  kept: Kept | null;
}

/** One step as it stands in the context. */
export interface ContextEntry {
  step: number;
  assistant: Omit<Extract<ChatMessage, { role: 'assistant' }>, 'reasoning_content'>;
  reasoning: string;
  observations: EntryObservation[];
  taught: string;
  /** Hints of a step without observation. */
  taughtHints: string;
  hints: { id: string; text: string }[];
  /** Estimated tokens, kept once the entry no longer changes. */
  tokens: number | null;
}

export function entryOf(body: EventBody<'model.answered'>): ContextEntry {
  return {
    step: body.step,
    assistant: assistantOf(body),
    reasoning: escapeHumanTag(body.reasoning),
    observations: [],
    taught: '',
    taughtHints: '',
    hints: [],
    tokens: null,
  };
}

/** Observations stand in the order of their calls; a second one of the same call is ignored. */
export function addObservation(entry: ContextEntry, body: EventBody<'action.observed'>): void {
  const { observations } = entry;
  if (observations.some(({ call }) => call === body.call)) {
    return;
  }
  const text = escapeHumanTag(body.text);
  const observation = { call: body.call, id: body.callId, text, hints: '', kept: null };
  const at = observations.findIndex(({ call }) => call > body.call);
  observations.splice(at < 0 ? observations.length : at, 0, observation);
}

/** o ⊕ U of APOLLO Algorithm 1, l. 14: the last observation, else the teaching message. */
export function addHints(
  entry: ContextEntry,
  body: Pick<EventBody<'hint.delivered'>, 'hints' | 'text'>,
): void {
  const last = entry.observations.at(-1);
  if (last === undefined) {
    entry.taughtHints += body.text;
  } else {
    last.hints += body.text;
  }
  entry.hints.push(...body.hints);
}

/** The entry's messages in sending order; `hint` is added as `addHints` would add it. */
export function entryMessages(entry: ContextEntry, sendReasoning: boolean, hint = ''): PlacedMessage[] {
  const { step, assistant, reasoning, observations } = entry;
  const said = sendReasoning && reasoning !== '' ? withReasoning(assistant, reasoning) : assistant;
  const messages: PlacedMessage[] = [{ step, message: said }];
  for (const [index, observation] of observations.entries()) {
    const added = index === observations.length - 1 ? observation.hints + hint : observation.hints;
    const text = shortened(observation.text, observation.kept) + added;
    messages.push({ step, message: { role: 'tool', tool_call_id: observation.id, content: text } });
  }
  const teaching = entry.taught + entry.taughtHints + (observations.length === 0 ? hint : '');
  if (teaching !== '') {
    messages.push({ step, message: { role: 'user', content: teaching } });
  }
  return messages;
}

/** What the step brought back, all calls and the hints at the end: o_k of the algorithm. */
export function observationOf(entry: ContextEntry): string {
  const several = entry.observations.length > 1;
  const texts = entry.observations.map(({ text, kept }, index) => {
    const whole = shortened(text, kept);
    return several ? `[${index + 1} of ${entry.observations.length}]\n${whole}` : whole;
  });
  const hints = entry.observations.map((observation) => observation.hints).join('') + entry.taughtHints;
  return [...texts, ...(entry.taught === '' ? [] : [entry.taught])].join('\n\n') + hints;
}

/** The text with its middle left out, and a sentence in its place that says how much is missing. */
export function shortened(text: string, kept: Kept | null): string {
  const left = kept === null ? 0 : text.length - kept.keepStart - kept.keepEnd;
  return kept === null || left <= 0
    ? text
    : `${text.slice(0, kept.keepStart)}\n\n[${left} characters are left out here, because the context is full]\n\n${text.slice(text.length - kept.keepEnd)}`;
}

export function messageTokens(message: ChatMessage): number {
  const calls = message.role === 'assistant' && message.tool_calls !== undefined ? message.tool_calls : [];
  const reasoning = message.role === 'assistant' ? (message.reasoning_content ?? '') : '';
  return (
    TOKENS_PER_MESSAGE +
    estimateTokens(message.content) +
    (reasoning === '' ? 0 : estimateTokens(reasoning)) +
    calls.reduce((sum, call) => sum + estimateTokens(call.function.name + call.function.arguments), 0)
  );
}

export function tokensOf(messages: readonly PlacedMessage[]): number {
  return messages.reduce((sum, { message }) => sum + messageTokens(message), 0);
}

/** `content` stays the last field, see `ContextFold`. */
function withReasoning(assistant: ContextEntry['assistant'], reasoning: string): ChatMessage {
  const { role, content, ...calls } = assistant;
  return { role, reasoning_content: reasoning, ...calls, content };
}

function assistantOf(body: EventBody<'model.answered'>): ContextEntry['assistant'] {
  const valid: ChatToolCall[] = [];
  const parts: string[] = body.text === '' ? [] : [escapeHumanTag(body.text)];
  for (const [index, call] of body.calls.entries()) {
    if ((body.invalid[index] ?? null) === null) {
      const text = escapeHumanTagInJson(call.arguments);
      valid.push({ id: call.id, type: 'function', function: { name: call.name, arguments: text } });
    } else {
      parts.push(quoteCall(call));
    }
  }
  if (parts.length === 0 && valid.length === 0) {
    parts.push(EMPTY_ANSWER);
  }
  return {
    role: 'assistant',
    ...(valid.length > 0 ? { tool_calls: valid } : {}),
    content: parts.join('\n\n'),
  };
}

/** Stands for an answer without text and calls: most endpoints refuse an assistant message with nothing in it. */
const EMPTY_ANSWER = '(empty answer)';

/** How a call that could not be used is replayed: as plain text, never as a call (semantics, Words). */
function quoteCall(call: { name: string; arguments: string }): string {
  return escapeHumanTag(`[call not understood] ${call.name}\n${call.arguments}`);
}
