import { type ChatMessage, type PlacedMessage, withText } from '../log/chat';
import type { Tool } from '../log/event-parts';
import type { EventBody } from '../log/events';

/** What a recorded request adds to a context that has heard of it: what is kept came with the event. */
export function tailOf({ tail, kept }: Pick<EventBody<'model.requested'>, 'tail' | 'kept'>): string {
  return kept ? '' : tail;
}

/**
 * The text of a request body that grows: JSON of what later requests repeat byte for byte, in chunks. Messages are last in
 * the body and `content` is last in a message, so a tail or a hint only adds to the end.
 */
export class RequestText {
  readonly chunks: string[] = [];
  text = '';
  /** Messages in the chunks. */
  messages = 0;
  /** Steps in the chunks. */
  entries = 0;

  constructor({ tools, request }: { tools: readonly Tool[]; request: Record<string, unknown> }) {
    const body = tools.length > 0 ? { ...request, tools, messages: [] } : { ...request, messages: [] };
    this.push(JSON.stringify(body).slice(0, -']}'.length));
  }

  close(messages: readonly ChatMessage[]): void {
    if (messages.length === 0) {
      return;
    }
    const json = messages.map((message) => JSON.stringify(message)).join(',');
    this.push(this.messages > 0 ? `,${json}` : json);
    this.messages += messages.length;
  }

  /** The rest of the body: messages that may still change, the last one with `tail`. */
  end(open: readonly PlacedMessage[], tail: string): string {
    const messages = open.map(({ message }) => message);
    const last = messages.at(-1);
    if (last !== undefined && tail !== '') {
      messages[messages.length - 1] = withText(last, tail);
    }
    const separator = this.messages > 0 && messages.length > 0 ? ',' : '';
    return `${separator}${messages.map((message) => JSON.stringify(message)).join(',')}]}`;
  }

  private push(chunk: string): void {
    this.chunks.push(chunk);
    this.text += chunk;
  }
}
