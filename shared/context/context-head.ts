import type { PlacedMessage } from '../log/chat';
import type { HeadMessage } from '../log/event-parts';
import type { ImagePart } from '../log/image-part';
import { type Kept, shortened } from './context-entry';
import { namedAsLeftOut, shownWith } from './image-message';

export const atHead = (message: HeadMessage): PlacedMessage => headMessage(message, true);

/** A message of the head as it is sent; its text names its images whether they are shown or not. */
function headMessage({ role, content, images }: HeadMessage, showImages: boolean): PlacedMessage {
  return showImages && images !== undefined && images.length > 0
    ? { step: 0, ...shownWith(images, content) }
    : { step: 0, message: { role, content } };
}

/** The messages before the first own step. Hints and lines that come while no step stands in the context join them. */
export class ContextHead {
  private readonly own: HeadMessage[];
  /** Hints and kept lines at the end of the last user message, in the order in which they came. */
  private added = '';
  /** The line that was kept last; '' without one. */
  line = '';
  /** Requests only name its images by now. */
  leftOut = false;

  constructor(head: readonly HeadMessage[]) {
    this.own = head.map((message) => ({ ...message }));
  }

  /** Content of the first message, nothing added. */
  get first(): string {
    return this.own[0]?.content ?? '';
  }

  /** Content of the last message, nothing added. */
  get last(): string {
    return this.own.at(-1)?.content ?? '';
  }

  /** Images in it, oldest first, whether they are still sent or not. */
  get images(): ImagePart[] {
    return this.own.flatMap(({ images = [] }) => images);
  }

  /**
   * With all that was added, as `segment.started` stores it. `kept`: the last message is shortened so. `leftOut`: images are
   * named only.
   */
  stored(kept: Kept | null, hint = '', leftOut = this.leftOut): HeadMessage[] {
    const end = this.own.length - 1;
    const own = this.own.map((message, index) => {
      const whole = kept !== null && index === end ? shortenedMessage(message, kept) : message;
      return leftOut ? namedMessage(whole) : whole;
    });
    const added = this.added + hint;
    return added === '' ? own : withHint(own, added);
  }

  /** As sent; `hint` is added as `addHint` would add it. `showImages` false: the model takes none. */
  messages(kept: Kept | null, hint = '', showImages = true, leftOut = this.leftOut): PlacedMessage[] {
    return this.stored(kept, hint, leftOut && showImages).map((message) => headMessage(message, showImages));
  }

  addHint(text: string): void {
    this.added += text;
  }

  /** The text becomes part of the last message, for good. */
  keepLine(text: string): void {
    this.line = text;
    const last = this.own.at(-1);
    if (last === undefined || last.role === 'user') this.added += text;
    else this.own[this.own.length - 1] = { ...last, content: last.content + text };
  }
}

/** Hints that come before a step stands in the context join the task. */
export function withHint(head: readonly HeadMessage[], text: string): HeadMessage[] {
  const at = head.map(({ role }) => role).lastIndexOf('user');
  return head.map((message, index) =>
    index === at ? { ...message, content: message.content + text } : message,
  );
}

/** The message with its text shortened; hints and images stay whole. */
function shortenedMessage(message: HeadMessage, kept: Kept): HeadMessage {
  const { text, hints } = splitHints(message.content);
  return { ...message, content: shortened(text, kept) + hints };
}

/** The message with its images named only. */
function namedMessage(message: HeadMessage): HeadMessage {
  const { images, ...named } = message;
  return images === undefined ? message : { ...named, content: namedAsLeftOut(message.content, images) };
}

/** Only hints hold the tag (`escapeHumanTag`), and they stand at the end. */
export function splitHints(content: string): { text: string; hints: string } {
  const at = content.indexOf('\n\n<real_user>');
  return at < 0 ? { text: content, hints: '' } : { text: content.slice(0, at), hints: content.slice(at) };
}
