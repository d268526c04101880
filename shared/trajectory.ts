import type { PlacedMessage } from './chat';
import { ContextFold } from './context';
import type { Tool } from './event-parts';
import type { RunEvent } from './events';

/** What the context of one segment held when it ended: head, carried steps, own steps (APOLLO §3.4). */
export interface Trajectory {
  run: string;
  segment: number;
  tools: Tool[];
  /** The very messages the model was sent, in order; steps that were never finished are left out. */
  messages: PlacedMessage[];
  /** Steps sampled in this segment, ascending: the only ones that train here. */
  own: number[];
  /** Own steps whose actions have no observation (yet): not part of the messages. */
  unfinished: number[];
}

export interface TrajectoryOptions {
  /** Keep the model's reasoning as `reasoning_content` beside the content. */
  reasoning: boolean;
}

/**
 * Run log → trajectories, one per segment, by the same fold that makes the prompt. It may start at any
 * `segment.started`: a segment does not depend on the events before it.
 */
export class TrajectoryFold {
  private context: ContextFold;
  private run = '';
  /** Own step → calls that still lack their observation. */
  private own = new Map<number, number>();

  constructor(private readonly options: TrajectoryOptions) {
    this.context = this.emptyContext();
  }

  /** Returns the finished trajectory when the event opens the next segment. */
  apply(event: RunEvent): Trajectory | null {
    this.run = event.run;
    const finished = event.kind === 'segment.started' ? this.end() : null;
    this.context.apply(event);
    if (event.kind === 'model.answered') {
      const valid = event.body.calls.filter((_, index) => (event.body.invalid[index] ?? null) === null);
      this.own.set(event.body.step, valid.length);
    } else if (event.kind === 'action.observed') {
      const left = this.own.get(event.body.step);
      if (left !== undefined) this.own.set(event.body.step, left - 1);
    }
    return finished;
  }

  /** The trajectory of the segment that is open, null when none is; the fold is empty afterwards. */
  end(): Trajectory | null {
    const { segment, tools } = this.context;
    if (segment === 0) return null;
    const unfinished = [...this.own].filter(([, left]) => left > 0).map(([step]) => step);
    const own = [...this.own.keys()].filter((step) => !unfinished.includes(step));
    const messages = this.context.messages().filter(({ step }) => !unfinished.includes(step));
    this.context = this.emptyContext();
    this.own = new Map();
    return { run: this.run, segment, tools, messages, own, unfinished };
  }

  private emptyContext(): ContextFold {
    return new ContextFold({ sendReasoning: this.options.reasoning, messagesOnly: true });
  }
}
