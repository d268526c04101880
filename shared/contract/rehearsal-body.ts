import { hintBlock } from '../context/human-tag';
import { type ChatMessage, contentText, withText } from '../log/chat';
import type { PromptView } from './views';

type Prompt = Pick<PromptView, 'messages' | 'tools' | 'tail' | 'line'>;

/** The request body of a prompt as the view shows it. With the view's own `request` it is byte for byte what was sent. */
export function promptBody(prompt: Prompt, request: Record<string, unknown>): string {
  return bodyOf(
    prompt,
    request,
    prompt.messages.map(({ json }) => json),
  );
}

/**
 * The same request with a draft in it as its delivery would put it (APOLLO Algorithm 1, l. 14): after the last observation,
 * else the teaching message, else the task, and before the line of budgets.
 */
export function promptBodyWith(prompt: Prompt, request: Record<string, unknown>, draft: string): string {
  const at = hintPlace(prompt.messages);
  const last = prompt.messages.length - 1;
  const messages = prompt.messages.map(({ json }, index) => {
    if (index !== at) return json;
    const message = JSON.parse(json) as ChatMessage;
    const line = prompt.tail === '' ? prompt.line : prompt.tail;
    const tail = index === last && contentText(message).endsWith(line) ? line : '';
    return JSON.stringify(withText(withoutEnd(message, tail.length), hintBlock([draft]) + tail));
  });
  return bodyOf(prompt, request, messages);
}

/** The message without the last `length` characters of its text. */
function withoutEnd<M extends ChatMessage>(message: M, length: number): M {
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: content.slice(0, content.length - length) };
  const last = content.at(-1);
  if (last?.type !== 'text') return message;
  const text = last.text.slice(0, last.text.length - length);
  return { ...message, content: [...content.slice(0, -1), { type: 'text', text }] };
}

function bodyOf({ tools }: Prompt, request: Record<string, unknown>, messages: readonly string[]): string {
  const opening = JSON.stringify(
    tools.length > 0 ? { ...request, tools, messages: [] } : { ...request, messages: [] },
  );
  return `${opening.slice(0, -']}'.length)}${messages.join(',')}]}`;
}

function hintPlace(messages: Prompt['messages']): number {
  const roles = messages.map(({ role }) => role);
  const answered = messages.at(-1)?.step === 0 ? -1 : roles.lastIndexOf('assistant');
  const tool = answered < 0 ? -1 : roles.lastIndexOf('tool');
  return tool > answered ? tool : roles.lastIndexOf('user');
}
