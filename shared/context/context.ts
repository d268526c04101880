import { type ChatMessage, type PlacedMessage, withText } from '../log/chat';
import type { Tool } from '../log/event-parts';
import type { EventBody, NewEvent } from '../log/events';
import { type ContextEntry, tokensOf } from './context-entry';

import { type ContextChange, ContextState, type SavedFold } from './context-state';
import { KnownMessages } from './known-messages';
import { estimateTokens, toolTokens } from './tokens';

export interface ContextOptions {
  /** Send the model's reasoning back as `reasoning_content` (switch per endpoint; default of the paper: no). */
  sendReasoning: boolean;
  /** Only messages will be asked for, by who leaves them as they are: no token estimates are kept, and each message is made once. */
  messagesOnly?: boolean;
  /**
   * The model takes images, until the log says that it was changed. Only needed where `run.created` is not among the events
   * that are fed; absent: it does.
   */
  images?: boolean;
  /** `sendReasoning` holds whatever model the run changes to (rows that keep or drop it). */
  fixedReasoning?: boolean;
}

/** What exists only for one request: it is added to the last message(s) without becoming part of the fold. */
export interface RequestExtras {
  /**
   * Added to the last message's content: budgets and time left, or what was wrong with a summary. What stays there is
   * recorded as kept and comes with the event (`tailOf`).
   */
  tail: string;
  /** Text of hints that are about to be delivered to the latest step, as `hint.delivered` will carry it. */
  hint?: string;
}

/** What a recorded request adds to a context that has heard of it: what is kept came with the event. */
export function tailOf({ tail, kept }: Pick<EventBody<'model.requested'>, 'tail' | 'kept'>): string {
  return kept ? '' : tail;
}

/**
 * The text of a request body that grows: JSON of what later requests repeat byte for byte, in chunks. Messages are last in
 * the body and `content` is last in a message, so a tail or a hint only adds to the end.
 */
class RequestText {
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

/**
 * Run log → model messages: the one place where events become a prompt. Loop, window (exact prompt), `verify`
 * and exporters all use it. Feed it every event of a run in order; how less is enough is said in `context-at`.
 *
 * A request is `JSON.stringify({...request, tools, messages})`. Messages of earlier steps do not change, so their JSON
 * is kept in `closed` chunks, and only the latest step (observations, teaching, hints) is serialised per request.
 * `closed.join('') + openText(extras)` is the exact body. While a summary turn is under way that is the summary's request.
 */
export class ContextFold extends ContextState {
  /** Estimated tokens of all entries but the last. */
  private settled = 0;
  /** Estimated tokens of tools and head, once steps follow. */
  private base: number | null = null;
  private measured: { tokens: number; estimate: number } | null = null;
  private sending: RequestText | null = null;
  private readonly known: KnownMessages | null;

  constructor(private readonly options: ContextOptions) {
    super(options.sendReasoning, options.fixedReasoning ?? false, options.images ?? true);
    this.known = options.messagesOnly === true ? new KnownMessages() : null;
  }

  /** The text of the next request is made anew. */
  override save(): SavedFold {
    const { options: _, known: _made, ...held } = super.save();
    return { ...held, sending: null };
  }

  override messagesOf(
    entry: ContextEntry,
    sendReasoning = this.sendReasoning,
    showImages = this.showImages,
  ): readonly PlacedMessage[] {
    return (
      this.known?.of(entry, sendReasoning, showImages) ?? super.messagesOf(entry, sendReasoning, showImages)
    );
  }

  override apply(event: NewEvent): ContextChange {
    const last = this.entries.at(-1);
    const change = super.apply(event);
    switch (change) {
      case 'added':
        this.settleEntry(last);
        this.measure(event);
        break;
      case 'redirected':
        this.sending = null;
        break;
      case 'renewed':
        this.measured = null;
        this.settle();
        break;
      case 'rewritten':
        this.settle();
        break;
      case 'none':
        break;
    }
    return change;
  }

  /** JSON pieces that later requests repeat byte for byte. Another array after a new segment, or when something in it changed. */
  get closed(): readonly string[] {
    return this.upToDate().chunks;
  }

  get messageCount(): number {
    return this.upToDate().messages + this.openMessages('').length;
  }

  /** The exact body of a request that would be sent now. */
  requestBody(extras: RequestExtras): string {
    return this.upToDate().text + this.openText(extras);
  }

  /** What follows the closed chunks in the request body. */
  openText(extras: RequestExtras): string {
    return this.upToDate().end(this.openMessages(extras.hint ?? ''), extras.tail);
  }

  /**
   * Estimated tokens of the request. From the second request of a segment on it starts from what the endpoint
   * last reported for its input, when it did, and estimates only what came since.
   */
  tokens(extras: RequestExtras): number {
    if (this.summary !== null) {
      const { tools } = this.summary.started;
      return toolTokens(tools) + tokensOf(this.messages()) + estimateTokens(extras.tail);
    }
    const estimate = this.estimate(extras);
    return this.measured === null
      ? estimate
      : Math.max(0, this.measured.tokens + estimate - this.measured.estimate);
  }

  /** Estimated tokens of an entry as it stands in the context. */
  tokensOf(entry: ContextEntry): number {
    return entry.tokens ?? tokensOf(this.messagesOf(entry));
  }

  private estimate(extras: RequestExtras): number {
    const open = tokensOf(this.openMessages(extras.hint ?? ''));
    if (this.entries.length === 0) {
      return toolTokens(this.tools) + open + estimateTokens(extras.tail);
    }
    return this.baseTokens() + this.settled + open + estimateTokens(extras.tail);
  }

  private baseTokens(): number {
    this.base ??= toolTokens(this.tools) + tokensOf(this.headMessages());
    return this.base;
  }

  private settleEntry(entry: ContextEntry | undefined): void {
    if (entry !== undefined && !this.options.messagesOnly) {
      entry.tokens = this.tokensOf(entry);
      this.settled += entry.tokens;
    }
  }

  /** What the endpoint says of the request that was just answered. A branch's own requests are other ones. */
  private measure(event: NewEvent): void {
    if (event.kind !== 'model.answered' || event.body.usage === null || this.options.messagesOnly) {
      return;
    }
    const estimate = this.baseTokens() + this.settled;
    const { inputTokens } = event.body.usage;
    if (plausible(inputTokens, estimate)) {
      this.measured = { tokens: inputTokens, estimate };
    }
  }

  /** Counts and serialises anew what the context holds. */
  private settle(): void {
    this.sending = null;
    this.base = null;
    this.settled = 0;
    for (const entry of this.entries) entry.tokens = null;
    for (const entry of this.entries.slice(0, -1)) this.settleEntry(entry);
  }

  /** Everything that no later request changes is serialised. */
  private upToDate(): RequestText {
    const { summary } = this;
    const sending = this.sending ?? new RequestText(this.sent);
    this.sending = sending;
    if (summary !== null) {
      if (sending.messages === 0) {
        sending.close(summary.started.head);
        sending.close(this.summarisedMessages(summary.started).map(({ message }) => message));
      }
      return sending;
    }
    if (this.entries.length > 0 && sending.messages === 0) {
      sending.close(this.headMessages().map(({ message }) => message));
    }
    for (; sending.entries < this.entries.length - 1; sending.entries += 1) {
      const entry = this.entries[sending.entries];
      sending.close(entry === undefined ? [] : this.messagesOf(entry).map(({ message }) => message));
    }
    return sending;
  }
}

/** An endpoint that reports nonsense must not be able to fill or empty the context on paper. */
function plausible(reported: number, estimate: number): boolean {
  return reported >= estimate / 4 && reported <= estimate * 4 + 4_000;
}
