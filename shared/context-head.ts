import type { ChatMessage, PlacedMessage } from './chat';
import { type Kept, shortened } from './context-entry';

export const atHead = (message: ChatMessage): PlacedMessage => ({ message, step: 0 });

/** Hints that come before a step stands in the context join the task. */
export function withHint(head: readonly ChatMessage[], text: string): ChatMessage[] {
  const at = head.map(({ role }) => role).lastIndexOf('user');
  return head.map((message, index) =>
    index === at ? { ...message, content: message.content + text } : message,
  );
}

/** The message with its text shortened; hints stay whole. */
export function shortenedMessage(message: ChatMessage, kept: Kept): ChatMessage {
  const { text, hints } = splitHints(message.content);
  return { ...message, content: shortened(text, kept) + hints };
}

/** Only hints hold the tag (`escapeHumanTag`), and they stand at the end. */
export function splitHints(content: string): { text: string; hints: string } {
  const at = content.indexOf('\n\n<real_user>');
  return at < 0 ? { text: content, hints: '' } : { text: content.slice(0, at), hints: content.slice(at) };
}
