import type { ChatMessage, ChatToolCall, PlacedMessage } from './chat';
import type { EventBody, NewEvent } from './events';
import { escapeHumanTag, escapeHumanTagInJson } from './human-tag';
import { estimateTokens, TOKENS_PER_MESSAGE } from './tokens';

export interface ContextOptions {
  /** Send the model's reasoning back as `reasoning_content` (switch per endpoint; default of the paper: no). */
  sendReasoning: boolean;
  /** Only `messages()` will be asked for: no JSON and no token estimates are kept (export of long runs). */
  messagesOnly?: boolean;
}

/** What exists only for one request: it is added to the last message(s) without becoming part of the fold. */
export interface RequestExtras {
  /** Added to the last message's content: budgets and time left. */
  tail: string;
  /** Text of hints that are about to be delivered to the latest step, as `hint.delivered` will carry it. */
  hint?: string;
}

interface OpenStep {
  step: number;
  assistant: ChatMessage;
  tools: { call: number; id: string; content: string }[];
  taught: string | null;
}

/**
 * Run log → model messages: the one place where events become a prompt. Loop, window (exact prompt), `verify`
 * and exporters all use it. Feed it every event of a run in order.
 *
 * Incremental: messages of earlier steps never change, so their JSON is kept as closed chunks and only the
 * latest step (observations, teaching, hints) is serialised per request. `closed.join('') + openText(extras)`
 * is the exact request body and equals `JSON.stringify({...request, tools, messages})` of a fold from scratch.
 */
export class ContextFold {
  /** Segment in force; 0 before the first `segment.started`. */
  segment = 0;
  /** Latest answered step; 0 before the first. */
  step = 0;
  /** JSON pieces that later requests of this segment repeat byte for byte. Only ever grows within a segment. */
  closed: string[] = [];
  tools: EventBody<'segment.started'>['tools'] = [];
  request: Record<string, unknown> = {};

  private readonly placed: PlacedMessage[] = [];
  private head: ChatMessage[] = [];
  private open: OpenStep | null = null;
  private closedTokens = 0;
  private closedText = '';
  private measured: { tokens: number; estimate: number } | null = null;

  constructor(private readonly options: ContextOptions) {}

  apply(event: NewEvent): void {
    switch (event.kind) {
      case 'segment.started':
        this.startSegment(event.body);
        return;
      case 'model.answered':
        this.answer(event.body);
        return;
      case 'action.observed':
        this.observe(event.body);
        return;
      case 'step.taught':
        if (this.open?.step === event.body.step) {
          this.open.taught = (this.open.taught ?? '') + escapeHumanTag(event.body.text);
        }
        return;
      case 'hint.delivered':
        this.addHint(event.body.text);
        return;
      default:
        return;
    }
  }

  /** All messages in sending order, without any tail. */
  messages(): PlacedMessage[] {
    return [...this.placed, ...this.openMessages('')];
  }

  get messageCount(): number {
    return this.placed.length + this.openMessages('').length;
  }

  /** The exact body of a request that would be sent now. */
  requestBody(extras: RequestExtras): string {
    return this.closedText + this.openText(extras);
  }

  /** What follows the closed chunks in the request body. */
  openText(extras: RequestExtras): string {
    const messages = this.openMessages(extras.hint ?? '').map(({ message }) => message);
    const last = messages.at(-1);
    if (last !== undefined && extras.tail !== '') {
      messages[messages.length - 1] = { ...last, content: last.content + extras.tail };
    }
    const separator = this.placed.length > 0 && messages.length > 0 ? ',' : '';
    return `${separator}${messages.map((message) => JSON.stringify(message)).join(',')}]}`;
  }

  /**
   * Estimated tokens of the request. From the second request of a segment on it starts from what the endpoint
   * last reported for its input, when it did, and estimates only what came since.
   */
  tokens(extras: RequestExtras): number {
    const estimate = this.closedTokens + this.openTokens(extras);
    return this.measured === null
      ? estimate
      : Math.max(0, this.measured.tokens + estimate - this.measured.estimate);
  }

  private openTokens(extras: RequestExtras): number {
    const messages = this.openMessages(extras.hint ?? '');
    return messages.reduce((sum, { message }) => sum + messageTokens(message), estimateTokens(extras.tail));
  }

  private startSegment(body: EventBody<'segment.started'>): void {
    this.segment = body.segment;
    this.tools = body.tools;
    this.request = body.request;
    this.head = body.head.map(({ role, content }) => ({ role, content }));
    this.placed.length = 0;
    this.open = null;
    this.measured = null;
    const opening = JSON.stringify(
      body.tools.length > 0
        ? { ...body.request, tools: body.tools, messages: [] }
        : { ...body.request, messages: [] },
    );
    this.closed = [];
    this.closedText = '';
    this.close(opening.slice(0, -']}'.length));
    this.closedTokens = body.tools.length > 0 ? estimateTokens(JSON.stringify(body.tools)) : 0;
  }

  private answer(body: EventBody<'model.answered'>): void {
    const before = this.options.messagesOnly ? 0 : this.closedTokens + this.openTokens({ tail: '' });
    this.closeOpenMessages();
    this.head = [];
    this.open = { step: body.step, assistant: this.assistant(body), tools: [], taught: null };
    this.step = body.step;
    if (body.usage !== null && plausible(body.usage.inputTokens, before)) {
      this.measured = { tokens: body.usage.inputTokens, estimate: before };
    }
  }

  private observe(body: EventBody<'action.observed'>): void {
    if (this.open?.step !== body.step || this.open.tools.some((tool) => tool.call === body.call)) {
      return;
    }
    const tool = { call: body.call, id: body.callId, content: escapeHumanTag(body.text) };
    const at = this.open.tools.findIndex((other) => other.call > body.call);
    this.open.tools.splice(at < 0 ? this.open.tools.length : at, 0, tool);
  }

  /** o ⊕ U of Algorithm 1, l. 14: last tool message, else the teaching message, else the task. */
  private addHint(text: string): void {
    if (this.open === null) {
      this.head = withHint(this.head, text);
      return;
    }
    const tool = this.open.tools.at(-1);
    if (tool !== undefined) {
      tool.content += text;
    } else {
      this.open.taught = (this.open.taught ?? '') + text;
    }
  }

  private openMessages(hint: string): PlacedMessage[] {
    if (this.open === null) {
      const head = hint === '' ? this.head : withHint(this.head, hint);
      return head.map((message) => ({ message, step: 0 }));
    }
    const { step, assistant, tools, taught } = this.open;
    const messages: PlacedMessage[] = [{ step, message: assistant }];
    for (const [index, tool] of tools.entries()) {
      const content = index === tools.length - 1 ? tool.content + hint : tool.content;
      messages.push({ step, message: { role: 'tool', tool_call_id: tool.id, content } });
    }
    const teaching = tools.length === 0 ? (taught ?? '') + hint : (taught ?? '');
    if (teaching !== '') {
      messages.push({ step, message: { role: 'user', content: teaching } });
    }
    return messages;
  }

  private closeOpenMessages(): void {
    for (const placed of this.openMessages('')) {
      if (this.options.messagesOnly) {
        this.placed.push(placed);
        continue;
      }
      this.close((this.placed.length > 0 ? ',' : '') + JSON.stringify(placed.message));
      this.closedTokens += messageTokens(placed.message);
      this.placed.push(placed);
    }
  }

  private close(chunk: string): void {
    this.closed.push(chunk);
    this.closedText += chunk;
  }

  private assistant(body: EventBody<'model.answered'>): ChatMessage {
    const valid: ChatToolCall[] = [];
    const parts: string[] = body.text === '' ? [] : [escapeHumanTag(body.text)];
    for (const [index, call] of body.calls.entries()) {
      if ((body.invalid[index] ?? null) === null) {
        const text = escapeHumanTagInJson(call.arguments);
        valid.push({ id: call.id, type: 'function', function: { name: call.name, arguments: text } });
      } else {
        parts.push(quoteCall(call));
      }
    }
    if (parts.length === 0 && valid.length === 0) {
      parts.push(EMPTY_ANSWER);
    }
    return {
      role: 'assistant',
      ...(this.options.sendReasoning && body.reasoning !== ''
        ? { reasoning_content: escapeHumanTag(body.reasoning) }
        : {}),
      ...(valid.length > 0 ? { tool_calls: valid } : {}),
      content: parts.join('\n\n'),
    };
  }
}

/** An endpoint that reports nonsense must not be able to fill or empty the context on paper. */
function plausible(reported: number, estimate: number): boolean {
  return reported >= estimate / 4 && reported <= estimate * 4 + 4_000;
}

/** Stands for an answer without text and calls: most endpoints refuse an assistant message with nothing in it. */
const EMPTY_ANSWER = '(empty answer)';

/** How a call that could not be used is replayed: as plain text, never as a call (semantics, Words). */
function quoteCall(call: { name: string; arguments: string }): string {
  return escapeHumanTag(`[call not understood] ${call.name}\n${call.arguments}`);
}

function withHint(head: readonly ChatMessage[], text: string): ChatMessage[] {
  const at = head.map(({ role }) => role).lastIndexOf('user');
  return head.map((message, index) =>
    index === at ? { ...message, content: message.content + text } : message,
  );
}

function messageTokens(message: ChatMessage): number {
  const calls = message.role === 'assistant' && message.tool_calls !== undefined ? message.tool_calls : [];
  const reasoning = message.role === 'assistant' ? (message.reasoning_content ?? '') : '';
  return (
    TOKENS_PER_MESSAGE +
    estimateTokens(message.content) +
    (reasoning === '' ? 0 : estimateTokens(reasoning)) +
    calls.reduce((sum, call) => sum + estimateTokens(call.function.name + call.function.arguments), 0)
  );
}
