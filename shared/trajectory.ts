import type { PlacedMessage } from './chat';
import { ContextFold } from './context';
import { entryMessages, entryOf } from './context-entry';
import type { Tool } from './event-parts';
import type { EventOf, RunEvent } from './events';

/**
 * What a model was sent and answered: `react`: the context of one segment when it ended, head, carried steps, own steps;
 * `summary`: one summary turn, with the summariser's own prompt and tool (APOLLO §3.1.3, §3.4 and its figure 4).
 */
export interface Trajectory {
  kind: 'react' | 'summary';
  run: string;
  segment: number;
  /** `seq` of the event that opened the segment. */
  opened: number;
  tools: Tool[];
  /** The very messages the model was sent, in order; steps that were never finished are left out. */
  messages: PlacedMessage[];
  /** Steps sampled here, ascending: the only ones that train here. */
  own: number[];
  /** Steps sampled in an earlier segment, or in the run this one branched from. */
  carried: number[];
  /** Own steps whose actions have no observation (yet): not part of the messages. */
  unfinished: number[];
}

export interface TrajectoryOptions {
  /** Keep the model's reasoning as `reasoning_content` beside the content. */
  reasoning: boolean;
}

/**
 * Run log → trajectories by the same fold that makes the prompt: one per segment, and one per summary turn, which follows
 * the segment it ended. A later segment carries steps of earlier ones, so the fold begins with a run's first segment.
 */
export class TrajectoryFold {
  private readonly context: ContextFold;
  private run = '';
  private opened = 0;
  /** Own step → calls that still lack their observation. */
  private own = new Map<number, number>();
  private carried: number[] = [];
  /** The summary turn that ends this segment. */
  private summary: Trajectory | null = null;

  constructor(private readonly options: TrajectoryOptions) {
    this.context = new ContextFold({ sendReasoning: options.reasoning, messagesOnly: true });
  }

  /** Returns what is finished when the event opens the next segment. */
  apply(event: RunEvent): Trajectory[] {
    this.run = event.run;
    const finished = event.kind === 'segment.started' ? this.end() : [];
    if (event.kind === 'model.answered' && event.body.kind === 'summary') {
      this.summary = this.summaryOf(event);
    }
    this.context.apply(event);
    this.count(event);
    return finished;
  }

  /** The trajectories of the segment that is open; none before the first. Nothing may be applied but the next segment. */
  end(): Trajectory[] {
    const { run, carried, context } = this;
    const opened = this.opened;
    const summary = this.summary;
    const { segment, tools } = context;
    if (segment === 0 || opened === 0) return [];
    const unfinished = [...this.own].filter(([, left]) => left > 0).map(([step]) => step);
    const own = [...this.own.keys()].filter((step) => !unfinished.includes(step));
    const messages = context.contextMessages().filter(({ step }) => !unfinished.includes(step));
    this.own = new Map();
    this.summary = null;
    this.opened = 0;
    const react = { kind: 'react' as const, run, segment, opened, tools, messages, own, carried, unfinished };
    return summary === null ? [react] : [react, summary];
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

  private summaryOf({ body }: EventOf<'model.answered'>): Trajectory {
    const { context, run } = this;
    const opened = this.opened;
    const { segment, sent } = context;
    const messages = [...context.messages(), ...entryMessages(entryOf(body), this.options.reasoning)];
    return {
      kind: 'summary',
      ...{ run, segment, opened, tools: sent.tools, messages, own: [body.step], carried: [], unfinished: [] },
    };
  }
}
