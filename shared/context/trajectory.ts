import { type ChatMessage, type PlacedMessage, withText } from '../log/chat';
import type { Tool } from '../log/event-parts';
import type { EventBody, EventKind, EventOf, RunEvent } from '../log/events';
import { ContextFold } from './context';
import { type ContextEntry, entryMessages, entryOf } from './context-entry';
import type { SavedFold } from './context-state';
import { type NotAsSent, notAsSent } from './not-as-sent';
import { SentForms } from './sent-forms';

/**
 * Where a row holds the model's reasoning: where the requests held it, nowhere, or on every step that has some although it was
 * not sent so.
 */
export const rowReasonings = ['as-sent', 'drop', 'keep'] as const;
export type RowReasoning = (typeof rowReasonings)[number];

/** What a preset does unless another way is chosen by name: APOLLO's data hold no reasoning. */
export function presetReasoning(preset: 'default' | 'apollo'): RowReasoning {
  return preset === 'apollo' ? 'drop' : 'as-sent';
}

/**
 * What a model was sent and answered: `react`: the context of one segment, head, carried steps, own steps; `summary`: one
 * summary turn, with the summariser's own prompt and tool (APOLLO §3.1.3, §3.4 and its figure 4).
 */
export interface Trajectory {
  kind: 'react' | 'summary';
  run: string;
  segment: number;
  /** `seq` of the event that opened the segment. */
  opened: number;
  tools: Tool[];
  /**
   * Byte for byte the messages of the request that the last own step answered, then that answer, and what came after it until
   * the segment ended. Steps that were never finished are left out.
   */
  messages: PlacedMessage[];
  /** Steps sampled here, ascending: the only ones that train here. */
  own: number[];
  /** Steps sampled in an earlier segment, or in the run this one branched from. */
  carried: number[];
  /** Own steps whose actions have no observation (yet): not part of the messages. */
  unfinished: number[];
  /** Messages that the requests of own steps held otherwise. */
  notAsSent: NotAsSent[];
  /** Answers of the same summary turn that were refused before the one that was taken, in order. */
  refused: RefusedSummary[];
}

export interface RefusedSummary {
  /** As the summariser gave it. It was not sent back. */
  answer: ChatMessage;
  /** What the next request said of it, at the end of its last message; '' when none was sent. */
  told: string;
}

export interface TrajectoryOptions {
  reasoning: RowReasoning;
}

/**
 * Kinds of events that say something of a trajectory. A fold that is fed these alone, in order, gives the same: no other kind changes
 * what a model is sent, and their texts (revisions of files, what sessions and evaluations say) need not be read.
 */
export const trajectoryKinds: readonly EventKind[] = [
  'run.created',
  'model.changed',
  'segment.started',
  'step.inherited',
  'hint.delivered',
  'model.requested',
  'model.answered',
  'action.observed',
  'step.taught',
  'summary.started',
  'summary.rejected',
  'context.shortened',
  'context.images_left_out',
  'limits.changed',
  'branch.began',
  'run.status',
];

/**
 * Run log → trajectories by the same fold that makes the prompt: one per segment, and one per summary turn, which follows
 * the segment it ended. A later segment carries steps of earlier ones, so the fold begins with a run's first event.
 */
export class TrajectoryFold {
  private context: ContextFold;
  private readonly forms = new SentForms();
  private run = '';
  private opened = 0;
  /** Own step → calls that still lack their observation. */
  private own = new Map<number, number>();
  private carried: number[] = [];
  private refused: RefusedSummary[] = [];
  /** The summary turn that ends this segment. */
  private summary: Trajectory | null = null;

  constructor(private readonly options: TrajectoryOptions) {
    this.context = this.contextWith(false);
  }

  /**
   * All that it holds between two events, as data that a structured clone keeps: a fold with the same options that `restore`s it
   * goes on as this one would.
   */
  save(): SavedFold {
    const { options: _, ...held } = { ...this };
    return { ...held, context: this.context.save(), forms: this.forms.save() };
  }

  restore({ context, forms, ...rest }: SavedFold): void {
    Object.assign(this, rest);
    this.context = this.contextWith(false);
    this.context.restore(context as SavedFold);
    this.forms.restore(forms as SavedFold);
  }

  /** Returns what is finished when the event opens the next segment. */
  apply(event: RunEvent): Trajectory[] {
    this.run = event.run;
    const finished = event.kind === 'segment.started' ? this.end() : [];
    if (event.kind === 'run.created') {
      this.context = this.contextWith(event.body.model.sendReasoning);
    }
    if (event.kind === 'model.answered' && event.body.kind === 'summary') {
      this.summary = this.summaryOf(event);
    }
    this.forms.apply(event, this.context);
    this.context.apply(event);
    this.count(event);
    return finished;
  }

  /** The trajectories of the segment that is open; none before the first. Nothing may be applied but the next segment. */
  end(): Trajectory[] {
    const { carried, context } = this;
    const summary = this.summary;
    if (context.segment === 0 || this.opened === 0) return [];
    const unfinished = [...this.own].filter(([, left]) => left > 0).map(([step]) => step);
    const own = [...this.own.keys()].filter((step) => !unfinished.includes(step));
    const react = this.reactOf(own, { carried, unfinished });
    this.own = new Map();
    this.summary = null;
    this.opened = 0;
    return summary === null ? [react] : [react, summary];
  }

  private contextWith(sendReasoning: boolean): ContextFold {
    const { reasoning } = this.options;
    return new ContextFold({
      sendReasoning: reasoning === 'as-sent' ? sendReasoning : reasoning === 'keep',
      messagesOnly: true,
      fixedReasoning: reasoning !== 'as-sent',
    });
  }

  private count(event: RunEvent): void {
    switch (event.kind) {
      case 'segment.started':
        this.opened = event.seq;
        this.carried = this.context.entries.map(({ step }) => step);
        return;
      case 'step.inherited':
        this.carried.push(event.body.answered.step);
        return;
      case 'summary.started':
        this.refused = [];
        return;
      case 'summary.rejected':
        this.refused.push({ answer: answerOf(event.body, this.shows(this.forms.now)), told: '' });
        return;
      case 'model.requested': {
        const last = this.refused.at(-1);
        if (last?.told === '') last.told = event.body.tail.trim();
        return;
      }
      case 'model.answered': {
        const { step, kind, calls, invalid } = event.body;
        const valid = calls.filter((_, index) => (invalid[index] ?? null) === null);
        if (kind !== 'summary') this.own.set(step, valid.length);
        return;
      }
      case 'action.observed': {
        const left = this.own.get(event.body.step);
        if (left !== undefined) this.own.set(event.body.step, left - 1);
        return;
      }
      default:
        return;
    }
  }

  /** Whether the row holds reasoning, if its last step was asked for so. */
  private shows({ reasoning }: { reasoning: boolean }): boolean {
    const chosen = this.options.reasoning;
    return chosen === 'as-sent' ? reasoning : chosen === 'keep';
  }

  private reactOf(own: number[], steps: Pick<Trajectory, 'carried' | 'unfinished'>): Trajectory {
    const { context, forms, run } = this;
    const opened = this.opened;
    const { segment, tools } = context;
    const asked = forms.askedWith(own);
    const last = asked.at(-1) ?? null;
    const shows = this.shows(last ?? forms.now);
    const entries = context.entries
      .filter(({ step }) => !steps.unfinished.includes(step))
      .map((entry) => (last === null ? entry : forms.entryAsOf(last.step, entry)));
    const { images } = last ?? forms.now;
    const kept = last === null ? undefined : forms.pairAsOf(last.step, context.pair);
    const headLeftOut =
      last === null ? context.headLeftOut : forms.headLeftOutAt(last.step, context.headLeftOut);
    const messages = context.headMessages(kept, images, headLeftOut);
    const head = messages.length;
    const at = new Map<number, number>();
    for (const entry of entries) {
      at.set(entry.step, messages.length);
      messages.push(...context.messagesOf(entry, shows, images));
    }
    if (last !== null) addTail(messages, (at.get(last.step) ?? 0) - 1, last.tail);
    const differences = notAsSent({
      asked,
      shows,
      entries,
      at,
      head,
      headImages: context.headImages,
      leftOut: last === null ? [] : forms.leftOut(last.step, entries),
      shortened: last === null ? [] : forms.shortened(last.step),
    });
    return {
      kind: 'react',
      run,
      segment,
      opened,
      tools,
      messages,
      own,
      ...steps,
      notAsSent: differences,
      refused: [],
    };
  }

  private summaryOf({ body }: EventOf<'model.answered'>): Trajectory {
    const { context, run, forms, refused } = this;
    const opened = this.opened;
    const { segment, sent } = context;
    const { step } = body;
    const messages = context.messages();
    addTail(messages, messages.length - 1, forms.now.tail);
    const shows = this.shows(forms.now);
    const at = new Map<number, number>();
    for (const [index, message] of messages.entries()) if (!at.has(message.step)) at.set(message.step, index);
    const differences = notAsSent({
      asked: [{ ...forms.now, step }],
      shows,
      at,
      entries: context.entries,
      head: 0,
      headImages: [],
      leftOut: [],
      shortened: [],
    });
    return {
      kind: 'summary',
      run,
      segment,
      opened,
      tools: sent.tools,
      messages: [...messages, ...entryMessages(entryOf(body), shows)],
      own: [step],
      carried: [],
      unfinished: [],
      notAsSent: differences,
      refused,
    };
  }
}

/** What that one request added to the end of its last message, in the form in which it did not stay there. */
function addTail(messages: PlacedMessage[], index: number, tail: string): void {
  const placed = messages[index];
  if (placed === undefined || tail === '') return;
  messages[index] = { ...placed, message: withText(placed.message, tail) };
}

function answerOf(body: EventBody<'summary.rejected'>, shows: boolean): ChatMessage {
  const entry: ContextEntry = entryOf({ ...body, stepId: '', kind: 'summary', invalid: [] });
  const [said] = entryMessages(entry, shows);
  return said?.message ?? { role: 'assistant', content: '' };
}
