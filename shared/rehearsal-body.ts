import type { ChatMessage } from './chat';
import { hintBlock } from './human-tag';
import type { PromptView } from './views';

type Prompt = Pick<PromptView, 'messages' | 'tools' | 'tail'>;

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
 * else the teaching message, else the task, and before the tail.
 */
export function promptBodyWith(prompt: Prompt, request: Record<string, unknown>, draft: string): string {
  const at = hintPlace(prompt.messages);
  const last = prompt.messages.length - 1;
  const messages = prompt.messages.map(({ json }, index) => {
    if (index !== at) return json;
    const message = JSON.parse(json) as ChatMessage;
    const tail = index === last && message.content.endsWith(prompt.tail) ? prompt.tail : '';
    const before = message.content.slice(0, message.content.length - tail.length);
    return JSON.stringify({ ...message, content: before + hintBlock([draft]) + tail });
  });
  return bodyOf(prompt, request, messages);
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
