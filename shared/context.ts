import type { ChatMessage, PlacedMessage } from './chat';
import {
  addHints,
  addObservation,
  type ContextEntry,
  entryMessages,
  entryOf,
  tokensOf,
} from './context-entry';
import { atHead, shortenedMessage, withHint } from './context-head';
import type { ContextOptions, RequestExtras, SummaryPair, SummaryTurn } from './context-parts';
import { RequestText } from './context-request';
import type { EventBody, NewEvent } from './events';
import { escapeHumanTag } from './human-tag';
import { estimateTokens, toolTokens } from './tokens';

/**
 * Run log → model messages: the one place where events become a prompt. Loop, window (exact prompt), `verify`
 * and exporters all use it. Feed it every event of a run in order; how less is enough is said in `read-prompt`.
 *
 * A request is `JSON.stringify({...request, tools, messages})`. Messages of earlier steps do not change, so their JSON
 * is kept in `closed` chunks, and only the latest step (observations, teaching, hints) is serialised per request.
 * `closed.join('') + openText(extras)` is the exact body. While a summary turn is under way that is the summary's request.
 */
export class ContextFold {
  /** Segment in force; 0 before the first `segment.started`. */
  segment = 0;
  /** Latest answered step; 0 before the first. */
  step = 0;
  /** Of the segment. */
  tools: EventBody<'segment.started'>['tools'] = [];
  request: Record<string, unknown> = {};
  summary: SummaryTurn | null = null;
  pair: SummaryPair | null = null;
  /** Times the context was made smaller since an answer, or a pause. */
  rounds = 0;

  private readonly steps: ContextEntry[] = [];
  private head: ChatMessage[] = [];
  private sendReasoning: boolean;
  /** Estimated tokens of all entries but the last. */
  private settled = 0;
  /** Estimated tokens of tools and head, once steps follow. */
  private base: number | null = null;
  private measured: { tokens: number; estimate: number } | null = null;
  private sending: RequestText | null = null;

  constructor(private readonly options: ContextOptions) {
    this.sendReasoning = options.sendReasoning;
  }

  apply(event: NewEvent): void {
    switch (event.kind) {
      case 'segment.started':
        this.startSegment(event.body);
        break;
      case 'model.answered':
        this.answer(event.body);
        break;
      case 'action.observed':
        this.observe(event.body);
        break;
      case 'step.taught':
        this.teach(event.body.step, event.body.text);
        break;
      case 'hint.delivered':
        this.addHint(event.body);
        break;
      case 'step.inherited':
        this.inherit(event.body);
        break;
      case 'summary.started':
        this.summary = { started: event.body, rejected: 0, problem: null };
        this.sending = null;
        break;
      case 'summary.rejected':
        this.reject(event.body.problem);
        break;
      case 'context.shortened':
        this.shorten(event.body);
        break;
      case 'model.changed':
        this.changeModel(event.body);
        break;
      case 'run.status':
        if (event.body.status === 'paused') this.rest();
        break;
      default:
        break;
    }
  }

  /** Steps in the context, in order. */
  get entries(): readonly ContextEntry[] {
    return this.steps;
  }

  /** What the next request names besides messages. */
  get sent(): Pick<EventBody<'segment.started'>, 'tools' | 'request'> {
    const { tools, request } = this.summary?.started ?? this;
    return { tools, request };
  }

  /** JSON pieces that later requests repeat byte for byte. Another array after a new segment, or when something in it changed. */
  get closed(): readonly string[] {
    return this.upToDate().chunks;
  }

  /** All messages of the next request in sending order, without any tail. */
  messages(): PlacedMessage[] {
    const { summary } = this;
    if (summary === null) {
      return this.contextMessages();
    }
    const { head, closing } = summary.started;
    return [
      ...head.map(atHead),
      ...this.summarisedMessages(summary.started),
      atHead({ role: 'user', content: closing }),
    ];
  }

  /** Messages of the context, also while it is being summarised. */
  contextMessages(): PlacedMessage[] {
    return [...this.headMessages().map(atHead), ...this.steps.flatMap((entry) => this.messagesOf(entry))];
  }

  /** The head as it is sent, hints and shortenings applied. */
  headMessages(): ChatMessage[] {
    const kept = this.pair?.kept ?? null;
    return this.head.map((message, index) =>
      kept !== null && index === this.head.length - 1 ? shortenedMessage(message, kept) : message,
    );
  }

  /** The last summarised observation as it was, before any shortening; '' without a pair. */
  get pairObservation(): string {
    return this.pair === null ? '' : (this.head.at(-1)?.content ?? '');
  }

  /** The first `entries` entries of the context (the pair counts as one), as they are sent. */
  summarisedMessages(part: { entries: number; pair: boolean }): PlacedMessage[] {
    const pair = part.pair ? this.headMessages().slice(-2).map(atHead) : [];
    const steps = this.steps.slice(0, part.entries - (part.pair ? 1 : 0));
    return [...pair, ...steps.flatMap((entry) => this.messagesOf(entry))];
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

  messagesOf(entry: ContextEntry): PlacedMessage[] {
    return entryMessages(entry, this.sendReasoning);
  }

  private estimate(extras: RequestExtras): number {
    const open = tokensOf(this.openMessages(extras.hint ?? ''));
    if (this.steps.length === 0) {
      return toolTokens(this.tools) + open + estimateTokens(extras.tail);
    }
    return this.baseTokens() + this.settled + open + estimateTokens(extras.tail);
  }

  private baseTokens(): number {
    this.base ??= toolTokens(this.tools) + tokensOf(this.headMessages().map(atHead));
    return this.base;
  }

  private startSegment(body: EventBody<'segment.started'>): void {
    const { carried = null, summary } = body;
    const at =
      carried === null ? this.steps.length : this.steps.findIndex(({ step }) => step >= carried.from);
    const summarised = this.steps[at - 1];
    const kept =
      carried === null ? [] : this.steps.filter(({ step }) => step >= carried.from && step <= carried.to);
    this.steps.splice(0, this.steps.length, ...kept);
    this.pair = summary === undefined ? null : { hints: summarised?.hints ?? [], kept: null };
    this.rounds = summary === undefined ? 0 : this.rounds + 1;
    this.segment = body.segment;
    this.tools = body.tools;
    this.request = body.request;
    this.head = body.head.map(({ role, content }) => ({ role, content }));
    this.summary = null;
    this.measured = null;
    this.settle();
  }

  private answer(body: EventBody<'model.answered'>): void {
    this.step = body.step;
    if (body.kind === 'summary') {
      return;
    }
    this.append(body);
    this.rounds = 0;
    if (body.usage === null || this.options.messagesOnly) {
      return;
    }
    const estimate = this.baseTokens() + this.settled;
    if (plausible(body.usage.inputTokens, estimate)) {
      this.measured = { tokens: body.usage.inputTokens, estimate };
    }
  }

  private append(body: EventBody<'model.answered'>): void {
    const last = this.steps.at(-1);
    if (last !== undefined && !this.options.messagesOnly) {
      last.tokens = this.tokensOf(last);
      this.settled += last.tokens;
    }
    this.steps.push(entryOf(body));
  }

  private observe(body: EventBody<'action.observed'>): void {
    const open = this.steps.at(-1);
    if (open?.step === body.step) {
      addObservation(open, body);
    }
  }

  private addHint(body: EventBody<'hint.delivered'>): void {
    const open = this.steps.at(-1);
    if (open === undefined) {
      this.head = withHint(this.head, body.text);
      this.pair?.hints.push(...body.hints);
    } else {
      addHints(open, body);
    }
  }

  private teach(step: number, text: string): void {
    const open = this.steps.at(-1);
    if (open?.step === step) {
      open.taught += escapeHumanTag(text);
    }
  }

  private inherit({ answered, observed, taught, delivered }: EventBody<'step.inherited'>): void {
    this.step = answered.step;
    if (answered.kind !== 'summary') {
      this.append(answered);
    }
    for (const body of observed) this.observe(body);
    if (taught !== null) {
      this.teach(answered.step, taught);
    }
    for (const body of delivered) this.addHint(body);
  }

  private reject(problem: string): void {
    if (this.summary !== null) {
      this.summary.rejected += 1;
      this.summary.problem = problem;
    }
  }

  private shorten(body: EventBody<'context.shortened'>): void {
    const { step, call, keepStart, keepEnd } = body;
    const observation = this.steps
      .find((entry) => entry.step === step)
      ?.observations.find((each) => each.call === call);
    if (observation !== undefined) {
      observation.kept = { keepStart, keepEnd };
    } else if (step === 0 && this.pair !== null) {
      this.pair.kept = { keepStart, keepEnd };
    }
    // For the sake of a summary turn that would not fit itself it is part of that round.
    this.rounds += this.summary === null ? 1 : 0;
    this.settle();
  }

  private changeModel({ model, request }: EventBody<'model.changed'>): void {
    this.request = request;
    this.measured = null;
    if (this.summary !== null) {
      this.summary.started = { ...this.summary.started, request };
    }
    if (!this.options.messagesOnly) {
      this.sendReasoning = model.sendReasoning;
    }
    this.settle();
  }

  /** A person who resumes the run gives it all tries again. */
  private rest(): void {
    this.rounds = 0;
    if (this.summary !== null) {
      this.summary.rejected = 0;
    }
  }

  /** Counts and serialises anew what the context holds. */
  private settle(): void {
    this.sending = null;
    this.base = null;
    if (this.options.messagesOnly) {
      return;
    }
    this.settled = 0;
    for (const entry of this.steps.slice(0, -1)) {
      entry.tokens = tokensOf(this.messagesOf(entry));
      this.settled += entry.tokens;
    }
    const last = this.steps.at(-1);
    if (last !== undefined) {
      last.tokens = null;
    }
  }

  private openMessages(hint: string): PlacedMessage[] {
    if (this.summary !== null) {
      return [atHead({ role: 'user', content: this.summary.started.closing })];
    }
    const open = this.steps.at(-1);
    if (open !== undefined) {
      return entryMessages(open, this.sendReasoning, hint);
    }
    const head = this.headMessages();
    return (hint === '' ? head : withHint(head, hint)).map(atHead);
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
    if (this.steps.length > 0 && sending.messages === 0) {
      sending.close(this.headMessages());
    }
    for (; sending.entries < this.steps.length - 1; sending.entries += 1) {
      const entry = this.steps[sending.entries];
      sending.close(entry === undefined ? [] : this.messagesOf(entry).map(({ message }) => message));
    }
    return sending;
  }
}

/** An endpoint that reports nonsense must not be able to fill or empty the context on paper. */
function plausible(reported: number, estimate: number): boolean {
  return reported >= estimate / 4 && reported <= estimate * 4 + 4_000;
}
