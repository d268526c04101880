import { wellFormed } from '@shared/base/clean-text';
import { type ChatMessage, type ChatToolCall, contentText } from '@shared/log/chat';
import type { Tool } from '@shared/log/event-parts';
import { callText, readArguments } from './argument-text';
import type { AssistantMessage } from './own-answers';

/** A message as loaders without tool calls, images and reasoning take it. */
export interface PlainMessage {
  role: ChatMessage['role'];
  content: string;
}

/** Calls in the form that Hermes and Qwen models write, the arguments byte for byte as the model wrote them. */
function callsText(calls: readonly ChatToolCall[]): string {
  return calls
    .map(({ function: { name, arguments: text } }) => {
      const read = readArguments(text);
      return `<tool_call>\n${callText(name, 'why' in read ? { text: JSON.stringify(text) } : read)}\n</tool_call>`;
    })
    .join('\n');
}

/** An answer as one text: reasoning in `<think>`, then what it says, then its calls. */
export function answerText({ content, reasoning_content, tool_calls = [] }: AssistantMessage): string {
  const thought = reasoning_content ? `<think>\n${reasoning_content}\n</think>\n\n` : '';
  const said = [content, callsText(tool_calls)].filter((text) => text !== '').join('\n');
  return wellFormed(thought + said);
}

/** Messages with their calls in the text. */
export function plainMessages(messages: readonly ChatMessage[]): PlainMessage[] {
  return messages.map((message) => ({
    role: message.role,
    content: message.role === 'assistant' ? answerText(message) : wellFormed(contentText(message)),
  }));
}

/**
 * Observations that follow each other as one message: a template that renders each message alone would open and close a turn for
 * each, and Qwen's puts all of them into one.
 */
export function joinedObservations(messages: readonly PlainMessage[]): PlainMessage[] {
  const joined: PlainMessage[] = [];
  for (const { role, content } of messages) {
    const last = joined.at(-1);
    if (role === 'tool' && last?.role === 'tool') {
      last.content += `\n</tool_response>\n<tool_response>\n${content}`;
    } else joined.push({ role, content });
  }
  return joined;
}

/** The tools as the system prompt of a model names them that has no other way to learn of them. */
export function withToolsInSystem(messages: readonly PlainMessage[], tools: readonly Tool[]): PlainMessage[] {
  if (tools.length === 0) return [...messages];
  const text = [
    '# Tools',
    '',
    'Signatures of the functions that can be called, one JSON object a line:',
    '<tools>',
    ...tools.map((tool) => wellFormed(JSON.stringify(tool))),
    '</tools>',
    '',
    'A call is one JSON object with "name" and "arguments" between <tool_call> and </tool_call>.',
  ].join('\n');
  const [first, ...others] = messages;
  return first?.role === 'system'
    ? [{ role: 'system', content: `${first.content}\n\n${text}` }, ...others]
    : [{ role: 'system', content: text }, ...messages];
}

/** ChatML up to the point where the next answer begins. Observations are in a user turn, as Qwen's templates put them. */
export function chatMlPrompt(messages: readonly PlainMessage[]): string {
  const turns = joinedObservations(messages).map(({ role, content }) =>
    role === 'tool'
      ? `<|im_start|>user\n<tool_response>\n${content}\n</tool_response><|im_end|>\n`
      : `<|im_start|>${role}\n${content}<|im_end|>\n`,
  );
  return `${turns.join('')}<|im_start|>assistant\n`;
}

const headings: Record<PlainMessage['role'], string> = {
  system: 'System',
  user: 'User',
  assistant: 'Agent',
  tool: 'Observation',
};

/** Messages as text that any tokenizer takes, a heading before each. */
export function transcript(messages: readonly PlainMessage[]): string {
  return messages.map(({ role, content }) => `${headings[role]}:\n${content}`).join('\n\n');
}

/** A copy in which no text holds half a surrogate pair: a tokenizer would stop there, and UTF-8 cannot hold it. */
export function clean<T>(value: T): T {
  if (typeof value === 'string') return wellFormed(value) as T;
  if (Array.isArray(value)) return value.map(clean) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), clean(item)])) as T;
}
