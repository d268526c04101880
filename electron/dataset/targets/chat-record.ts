import type { ChatMessage } from '@shared/log/chat';
import { argumentsAsObject } from './argument-text';

/** Whether the message can be written with its arguments in the form: an object cannot say all that a text says. */
export function fitsForm(message: ChatMessage, form: 'string' | 'object'): boolean {
  if (message.role !== 'assistant' || form === 'string') return true;
  return (message.tool_calls ?? []).every((call) => objectOf(call.function.arguments) !== null);
}

/** A message in a record: arguments as the model's own text, or as the object it means. It fits the form. */
export function chatRecord(message: ChatMessage, form: 'string' | 'object'): Record<string, unknown> {
  if (message.role !== 'assistant' || message.tool_calls === undefined || form === 'string') {
    return { ...message };
  }
  const calls = message.tool_calls.map((call) => ({
    ...call,
    function: { ...call.function, arguments: objectOf(call.function.arguments) },
  }));
  return { ...message, tool_calls: calls };
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  const read = argumentsAsObject(text);
  return 'why' in read ? null : read.object;
}

/** What makes a list of messages unfit to be rendered, in words that name the field. */
export function messageProblems(value: unknown, field: string): string[] {
  if (!Array.isArray(value) || value.length === 0) return [`${field} is not a list of messages`];
  return value.flatMap((message: unknown, index) => {
    const at = `${field}[${index}]`;
    if (typeof message !== 'object' || message === null) return [`${at} is not a message`];
    const { role, content } = message as Record<string, unknown>;
    const found: string[] = [];
    if (!['system', 'user', 'assistant', 'tool'].includes(role as string)) {
      found.push(`${at}.role is not a role`);
    }
    if (typeof content !== 'string' && !Array.isArray(content)) found.push(`${at}.content is not text`);
    if ('step_loss_mask' in message) found.push(`${at} holds a mask that this loader ignores`);
    return found;
  });
}
