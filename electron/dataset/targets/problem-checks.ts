import { hasHalfSurrogate } from './argument-text';

/** Small checks that the targets' `problems` are put together from. `where` names the place as a reader of JSON would. */

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function* unknownKeys(value: Json, known: readonly string[], where: string): Generator<string> {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) yield `${where === '' ? '' : `${where}.`}${key} is not a field of this format`;
  }
}

export function* textProblems(value: unknown, where: string): Generator<string> {
  if (typeof value !== 'string') yield `${where} must be text`;
  else if (hasHalfSurrogate(value)) yield `${where} holds half a character, which no tokenizer takes`;
}

/** A column of JSON text: a string that is valid JSON of the given kind. */
export function* jsonTextProblems(value: unknown, kind: 'object' | 'list', where: string): Generator<string> {
  if (typeof value !== 'string') {
    yield `${where} must be JSON text`;
    return;
  }
  const parsed = parsedJson(value);
  const fits = kind === 'list' ? Array.isArray(parsed) : isObject(parsed);
  if (!fits) yield `${where} must be the JSON text of ${kind === 'list' ? 'a list' : 'an object'}`;
}

/** The columns of JSON text beside the messages: tools, where a row has some, and where the record is from. */
export function* columnProblems({ tools, metadata }: Json): Generator<string> {
  if (tools !== undefined) yield* jsonTextProblems(tools, 'list', 'tools');
  yield* textProblems(metadata, 'metadata');
}

/** JSON text of a call, for formats that hold calls as text. */
export function* callTextProblems(text: unknown, where: string): Generator<string> {
  const call = parsedJson(String(text));
  if (!isObject(call) || typeof call.name !== 'string' || !isObject(call.arguments)) {
    yield `${where} must be the JSON text of a call with a name and an object of arguments`;
  }
}

/** Undefined when the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The caller names the place.
    return undefined;
  }
}

/** A list of OpenAI tools, already parsed. */
export function* toolProblems(tools: unknown, where: string): Generator<string> {
  if (!Array.isArray(tools)) {
    yield `${where} must be a list`;
    return;
  }
  for (const [at, tool] of tools.entries()) {
    const named = isObject(tool) && isObject(tool.function) && typeof tool.function.name === 'string';
    if (!named || tool.type !== 'function') yield `${where}[${at}] must be a function with a name`;
  }
}

/** How a format says which messages train. */
export interface TrainFlag {
  /** Field that says whether a message trains, and its two values. */
  flag: string;
  values: readonly [masked: unknown, trained: unknown];
  /** Messages that carry it. */
  flagged: 'assistant' | 'all';
}

/** `train`, true or false on every message. What lies beside the data reads it: axolotl's configuration, TRL's chat template. */
export const trainOnAll: TrainFlag = { flag: 'train', values: [false, true], flagged: 'all' };

interface MessageRules extends TrainFlag {
  arguments: 'string' | 'object' | 'either';
  images: boolean;
  /** The last message must be an answer. */
  endsWithAnswer: boolean;
  /** Calls must be answered before the next message that is no result. */
  answered: boolean;
}

/** Rules of OpenAI's chat messages with a mask on them. */
export function* messageProblems(messages: unknown, rules: MessageRules): Generator<string> {
  if (!Array.isArray(messages) || messages.length === 0) {
    yield 'messages must be a list that is not empty';
    return;
  }
  const open = new Set<unknown>();
  let trains = false;
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`;
    if (!isObject(message)) {
      yield `${where} must be an object`;
      continue;
    }
    yield* oneMessage(message, where, rules);
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id) && rules.answered)
        yield `${where} answers no call of the message before it`;
    } else {
      if (open.size > 0 && rules.answered) yield `${where} stands before a call is answered`;
      open.clear();
    }
    for (const call of callsOf(message)) open.add(isObject(call) ? call.id : undefined);
    trains ||= message.role === 'assistant' && message[rules.flag] === rules.values[1];
  }
  if (!trains) yield 'no message is trained';
  const last: unknown = messages.at(-1);
  if (rules.endsWithAnswer && isObject(last) && last.role !== 'assistant') {
    yield 'the last message must be an answer';
  }
}

const callsOf = (message: Json): readonly unknown[] =>
  Array.isArray(message.tool_calls) ? message.tool_calls : [];

const fields: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'reasoning_content', 'tool_calls'],
  tool: ['role', 'content', 'tool_call_id'],
};

function* oneMessage(message: Json, where: string, rules: MessageRules): Generator<string> {
  const known = typeof message.role === 'string' ? fields[message.role] : undefined;
  if (known === undefined) {
    yield `${where}.role must be system, user, assistant or tool`;
    return;
  }
  const flagged = rules.flagged === 'all' || message.role === 'assistant';
  yield* unknownKeys(message, flagged ? [...known, rules.flag] : known, where);
  if (flagged && !rules.values.includes(message[rules.flag])) {
    yield `${where}.${rules.flag} must be ${rules.values.map((value) => String(value)).join(' or ')}`;
  }
  if (message.role !== 'assistant' && flagged && message[rules.flag] !== rules.values[0]) {
    yield `${where}.${rules.flag} trains a message that no model wrote`;
  }
  if (Array.isArray(message.content)) yield* partProblems(message, where, rules);
  else yield* textProblems(message.content, `${where}.content`);
  if (message.reasoning_content !== undefined) {
    yield* textProblems(message.reasoning_content, `${where}.reasoning_content`);
  }
  if (message.role === 'tool') yield* textProblems(message.tool_call_id, `${where}.tool_call_id`);
  if (message.role === 'assistant') yield* callProblems(message, where, rules);
}

function* partProblems(message: Json, where: string, rules: MessageRules): Generator<string> {
  if (message.role !== 'user' || !rules.images) {
    yield `${where}.content must be text`;
    return;
  }
  for (const [at, part] of (message.content as unknown[]).entries()) {
    const place = `${where}.content[${at}]`;
    if (isObject(part) && part.type === 'text') yield* textProblems(part.text, `${place}.text`);
    else if (isObject(part) && part.type === 'image_url' && isObject(part.image_url)) {
      yield* textProblems(part.image_url.url, `${place}.image_url.url`);
    } else yield `${place} must be a text or an image`;
  }
}

function* callProblems(message: Json, where: string, rules: MessageRules): Generator<string> {
  const calls = callsOf(message);
  if (message.tool_calls !== undefined && calls.length === 0) yield `${where}.tool_calls must not be empty`;
  for (const [at, call] of calls.entries()) {
    const place = `${where}.tool_calls[${at}]`;
    const made = isObject(call) && isObject(call.function) ? call.function : null;
    if (made === null || !isObject(call) || typeof call.id !== 'string' || typeof made.name !== 'string') {
      yield `${place} must be a function call with an id and a name`;
      continue;
    }
    const text = typeof made.arguments === 'string';
    if (!text && !isObject(made.arguments)) yield `${place}.function.arguments must be text or an object`;
    else if (rules.arguments !== 'either' && text !== (rules.arguments === 'string')) {
      yield `${place}.function.arguments must be ${text ? 'an object' : 'text'}`;
    }
  }
}
