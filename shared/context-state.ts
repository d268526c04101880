import type { ChatMessage, PlacedMessage } from './chat';
import { addHints, addObservation, type ContextEntry, entryMessages, entryOf } from './context-entry';
import { atHead, shortenedMessage, withHint } from './context-head';
import type { SummaryPair, SummaryTurn } from './context-parts';
import type { EventBody, NewEvent } from './events';
import { escapeHumanTag } from './human-tag';

/**
 * What an event did to the context: nothing a request would show; a step was added to the end; the next request is another
 * one (a summary turn begins); bytes that were sent before are different now; or all that was measured is void.
 */
export type ContextChange = 'none' | 'added' | 'redirected' | 'rewritten' | 'renewed';

/**
 * Run log → what stands in the context: the head, one entry per step, the summary turn under way. `ContextFold` makes
 * requests of it.
 */
export class ContextState {
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

  /** `fixed`: `sendReasoning` holds whatever model the run changes to. */
  constructor(
    private sendReasoning: boolean,
    private readonly fixed: boolean,
  ) {}

  apply(event: NewEvent): ContextChange {
    switch (event.kind) {
      case 'segment.started':
        this.startSegment(event.body);
        return 'renewed';
      case 'model.answered':
        return this.answer(event.body);
      case 'action.observed':
        this.observe(event.body);
        return 'none';
      case 'step.taught':
        this.teach(event.body.step, event.body.text);
        return 'none';
      case 'hint.delivered':
        this.addHint(event.body);
        return 'none';
      case 'step.inherited':
        return this.inherit(event.body);
      case 'summary.started':
        this.summary = { started: event.body, rejected: 0, problem: null };
        return 'redirected';
      case 'summary.rejected':
        this.reject(event.body.problem);
        return 'none';
      case 'context.shortened':
        this.shorten(event.body);
        return 'rewritten';
      case 'model.changed':
        this.changeModel(event.body);
        return 'renewed';
      case 'run.status':
        if (event.body.status === 'paused') this.rest();
        return 'none';
      default:
        return 'none';
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

  messagesOf(entry: ContextEntry): PlacedMessage[] {
    return entryMessages(entry, this.sendReasoning);
  }

  /** Messages that may still change: the latest step, or the head before the first. `hint` as it would be delivered. */
  protected openMessages(hint: string): PlacedMessage[] {
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

  private startSegment(body: EventBody<'segment.started'>): void {
    const { carried = null, summary } = body;
    const at =
      carried === null ? this.steps.length : this.steps.findIndex(({ step }) => step >= carried.from);
    const summarised = this.steps[at - 1];
    const kept =
      carried === null ? [] : this.steps.filter(({ step }) => step >= carried.from && step <= carried.to);
    this.steps.splice(0, this.steps.length, ...kept);
    this.pair =
      summary === undefined ? null : { hints: [...(body.hints ?? summarised?.hints ?? [])], kept: null };
    this.rounds = summary === undefined ? 0 : this.rounds + 1;
    this.segment = body.segment;
    this.tools = body.tools;
    this.request = body.request;
    this.head = body.head.map(({ role, content }) => ({ role, content }));
    this.summary = null;
  }

  private answer(body: EventBody<'model.answered'>): ContextChange {
    this.step = body.step;
    if (body.kind === 'summary') {
      return 'none';
    }
    this.rounds = 0;
    this.steps.push(entryOf(body));
    return 'added';
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

  private inherit({ answered, observed, taught, delivered }: EventBody<'step.inherited'>): ContextChange {
    const change = this.answer(answered);
    for (const body of observed) this.observe(body);
    if (taught !== null) {
      this.teach(answered.step, taught);
    }
    for (const body of delivered) this.addHint(body);
    return change;
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
  }

  private changeModel({ model, request }: EventBody<'model.changed'>): void {
    this.request = request;
    if (this.summary !== null) {
      this.summary.started = { ...this.summary.started, request };
    }
    if (!this.fixed) {
      this.sendReasoning = model.sendReasoning;
    }
  }

  /** A person who resumes the run gives it all tries again. */
  private rest(): void {
    this.rounds = 0;
    if (this.summary !== null) {
      this.summary.rejected = 0;
    }
  }
}
