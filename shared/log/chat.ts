import type { ImagePart } from './image-part';

/** OpenAI chat messages as sent, stored in datasets and shown behind the eye. `content` is last, see `ContextFold`. */
export interface ChatToolCall {
  id: string;
  type: 'function';
  /** `arguments` is the model's JSON text, not an object. */
  function: { name: string; arguments: string };
}

export type ContentPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

/**
 * A user message with images has parts, and the last of them is its text, so that what is added goes to its end too. Only user
 * messages have images: OpenAI's interface refuses them in tool messages.
 */
export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | ContentPart[] }
  | { role: 'assistant'; content: string; reasoning_content?: string; tool_calls?: ChatToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };

export interface PlacedMessage {
  message: ChatMessage;
  /** Step whose answer, observation or teaching this is; 0 for the head of the segment. */
  step: number;
  /** What the message shows, in the order of its parts; absent without images. */
  images?: readonly ImagePart[];
}

/** The text of a message, without its images. */
export function contentText({ content }: Pick<ChatMessage, 'content'>): string {
  return typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The message with `text` at its very end. */
export function withText<M extends ChatMessage>(message: M, text: string): M {
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: content + text };
  const last = content.at(-1);
  const whole: ContentPart[] =
    last?.type === 'text'
      ? [...content.slice(0, -1), { type: 'text', text: last.text + text }]
      : [...content, { type: 'text', text }];
  return { ...message, content: whole };
}
