import type { PlacedMessage } from '../log/chat';
import type { HeadMessage } from '../log/event-parts';
import type { EventBody, NewEvent } from '../log/events';
import {
  addHints,
  addObservation,
  atHead,
  type ContextEntry,
  ContextHead,
  entryMessages,
  entryOf,
  keepLine,
  lineOf,
  type SummaryPair,
} from './context-entry';

import { escapeHumanTag } from './human-tag';
import { reflectedIn } from './reflected-hints';

/** A summary turn that has begun and has no segment yet. */
export interface SummaryTurn {
  started: EventBody<'summary.started'>;
  /** Answers refused since it began or the run last paused. */
  rejected: number;
  /** What was wrong with the latest of them. */
  problem: string | null;
  /** Whether no request has said so yet, in a way that stays. */
  untold: boolean;
  /** Kept tails: what the summariser was told after the closing message. */
  told: string;
}

/** What a fold held between two events; only the same version of it can read that. */
export type SavedFold = Readonly<Record<string, unknown>>;

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
  private head = new ContextHead([]);
  /** The limits that the last line told are no longer in force. */
  private outdated = false;

  /** `fixed`: `sendReasoning` holds whatever model the run changes to. */
  constructor(
    protected sendReasoning: boolean,
    private readonly fixed: boolean,
    /** The model takes images; read off the log where it is fed from its begin. */
    protected showImages = true,
  ) {}

  /** All that it holds, as data that a structured clone keeps; `restore` of one with the same options takes it back. */
  save(): SavedFold {
    return { ...this, head: { ...this.head } };
  }

  restore({ head, ...rest }: SavedFold): void {
    Object.assign(this, rest);
    this.head = Object.assign(new ContextHead([]), head);
  }

  apply(event: NewEvent): ContextChange {
    switch (event.kind) {
      case 'run.created':
        this.showImages = event.body.model.images === true;
        return 'none';
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
      case 'model.requested':
        if (event.body.kept) this.keep(event.body.tail);
        return 'none';
      case 'limits.changed':
      case 'branch.began':
        this.outdated = true;
        return 'none';
      case 'step.inherited':
        return this.inherit(event.body);
      case 'summary.started':
        this.summary = { started: event.body, rejected: 0, problem: null, untold: false, told: '' };
        return 'redirected';
      case 'summary.rejected':
        this.reject(event.body.problem);
        return 'none';
      case 'context.shortened':
        this.shorten(event.body);
        return 'rewritten';
      case 'context.images_left_out':
        this.leaveOut(event.body);
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

  /** The system prompt. */
  get system(): string {
    return this.head.first;
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

  /**
   * The line that stands in the last message of the next request and tells the budgets under the limits in force; '' where
   * that message has none, so that the request brings its own.
   */
  get line(): string {
    const open = this.steps.at(-1);
    if (this.outdated || this.summary !== null) {
      return '';
    }
    return open === undefined ? this.head.line : lineOf(open);
  }

  /** All messages of the next request in sending order, without any tail but those that were kept. */
  messages(): PlacedMessage[] {
    const { summary } = this;
    if (summary === null) {
      return this.contextMessages();
    }
    const { started } = summary;
    return [...started.head.map(atHead), ...this.summarisedMessages(started), closingMessage(summary)];
  }

  /** Messages of the context, also while it is being summarised. */
  contextMessages(): PlacedMessage[] {
    return [...this.headMessages(), ...this.steps.flatMap((entry) => this.messagesOf(entry))];
  }

  /** The head as it is sent, hints and shortenings applied. `kept`: what stays of the last summarised observation. */
  headMessages(
    kept = this.pair?.kept ?? null,
    showImages = this.showImages,
    leftOut = this.head.leftOut,
  ): PlacedMessage[] {
    return this.head.messages(kept, '', showImages, leftOut);
  }

  /** The same with all images that it ever had: where they stand. */
  get headImages(): number[] {
    const whole = this.head.stored(null, '', false);
    return whole.flatMap(({ images = [] }, index) => (images.length > 0 ? [index] : []));
  }

  /** Images that the next request of a step shows, oldest first; `step` 0: in the head. `bytes`: as sent, in base64. */
  get imagesSent(): { step: number; call: number; bytes: number }[] {
    if (!this.showImages) return [];
    const head = this.head.leftOut ? [] : this.head.images.map((image) => ({ step: 0, call: 0, image }));
    const own = this.steps.flatMap(({ step, observations }) =>
      observations.flatMap(({ call, images = [], leftOut = false }) =>
        leftOut ? [] : images.map((image) => ({ step, call, image })),
      ),
    );
    return [...head, ...own].map(({ image, ...at }) => ({ ...at, bytes: image.data.length }));
  }

  get headLeftOut(): boolean {
    return this.head.leftOut;
  }

  /** The same as the log stores it: what another head begins with. */
  storedHead(): HeadMessage[] {
    return this.head.stored(this.pair?.kept ?? null);
  }

  /** The last summarised observation as it was, before any shortening; '' without a pair. */
  get pairObservation(): string {
    return this.pair === null ? '' : this.head.last;
  }

  /** The first `entries` entries of the context (the pair counts as one), as they are sent. */
  summarisedMessages(part: { entries: number; pair: boolean }): PlacedMessage[] {
    const pair = part.pair ? this.headMessages().slice(-2) : [];
    const steps = this.steps.slice(0, part.entries - (part.pair ? 1 : 0));
    return [...pair, ...steps.flatMap((entry) => this.messagesOf(entry))];
  }

  /** By default as the next request holds them. */
  messagesOf(
    entry: ContextEntry,
    sendReasoning = this.sendReasoning,
    showImages = this.showImages,
  ): readonly PlacedMessage[] {
    return entryMessages(entry, sendReasoning, '', showImages);
  }

  /** Messages that may still change: the latest step, or the head before the first. `hint` as it would be delivered. */
  protected openMessages(hint: string): PlacedMessage[] {
    if (this.summary !== null) {
      return [closingMessage(this.summary)];
    }
    const open = this.steps.at(-1);
    if (open !== undefined) {
      return entryMessages(open, this.sendReasoning, hint, this.showImages);
    }
    return this.head.messages(this.pair?.kept ?? null, hint, this.showImages);
  }

  private keep(tail: string): void {
    const { summary } = this;
    if (summary !== null) {
      summary.told += tail;
      summary.untold = false;
      return;
    }
    if (tail !== '') {
      this.addLine(tail);
      this.outdated = false;
    }
  }

  private addLine(text: string): void {
    const open = this.steps.at(-1);
    if (open === undefined) this.head.keepLine(text);
    else keepLine(open, text);
  }

  private startSegment(body: EventBody<'segment.started'>): void {
    const { carried = null, summary } = body;
    const at =
      carried === null ? this.steps.length : this.steps.findIndex(({ step }) => step >= carried.from);
    const summarised = this.steps[at - 1];
    const left = this.steps.filter(({ step }) => carried === null || step < carried.from);
    const kept =
      carried === null ? [] : this.steps.filter(({ step }) => step >= carried.from && step <= carried.to);
    this.pair =
      summary === undefined
        ? null
        : {
            hints: [...(body.hints ?? summarised?.hints ?? [])],
            reflected: reflectedIn({ pair: this.pair, summarised: left }, body),
            kept: null,
          };
    this.steps.splice(0, this.steps.length, ...kept);
    this.rounds = summary === undefined ? 0 : this.rounds + 1;
    this.segment = body.segment;
    this.tools = body.tools;
    this.request = body.request;
    this.head = new ContextHead(body.head);
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
      this.head.addHint(body.text);
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

  private inherit(body: EventBody<'step.inherited'>): ContextChange {
    const { answered, observed, taught, delivered, lines = [] } = body;
    const change = this.answer(answered);
    for (const body of observed) this.observe(body);
    if (taught !== null) {
      this.teach(answered.step, taught);
    }
    for (let count = 0; count <= delivered.length; count += 1) {
      for (const { after, text } of lines) if (after === count) this.addLine(text);
      const delivery = delivered[count];
      if (delivery !== undefined) this.addHint(delivery);
    }
    return change;
  }

  private reject(problem: string): void {
    if (this.summary !== null) {
      this.summary.rejected += 1;
      this.summary.problem = problem;
      this.summary.untold = true;
    }
  }

  private shorten(body: EventBody<'context.shortened'>): void {
    const { step, call, keepStart, keepEnd, lines } = body;
    const observation = this.steps
      .find((entry) => entry.step === step)
      ?.observations.find((each) => each.call === call);
    if (observation !== undefined) {
      observation.kept = { keepStart, keepEnd, lines };
    } else if (step === 0 && this.pair !== null) {
      this.pair.kept = { keepStart, keepEnd, lines };
    }
    // For the sake of a summary turn that would not fit itself it is part of that round.
    this.rounds += this.summary === null ? 1 : 0;
  }

  /** Everything up to that observation; the head is the oldest part. */
  private leaveOut({ step, call }: EventBody<'context.images_left_out'>): void {
    this.head.leftOut = true;
    for (const entry of this.steps) {
      for (const observation of entry.observations) {
        const reached = entry.step < step || (entry.step === step && observation.call <= call);
        if (reached && observation.images !== undefined) observation.leftOut = true;
      }
    }
  }

  private changeModel({ model, request }: EventBody<'model.changed'>): void {
    this.request = request;
    if (this.summary !== null) {
      this.summary.started = { ...this.summary.started, request };
    }
    this.showImages = model.images === true;
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

function closingMessage({ started, told }: SummaryTurn): PlacedMessage {
  return atHead({ role: 'user', content: started.closing + told });
}
