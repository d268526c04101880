import type { StepQuery } from '@shared/contract/step-query';
import type { Span } from '../run/head-cache';
import { indexFrom, unionOf } from './sorted-steps';

export interface MatchSource {
  /** A step that fits one of them is in the list. */
  queries: readonly StepQuery[];
  /** True: a step stays in the list when it has ceased to fit, so that nothing moves under the reader's hands. */
  keep: boolean;
  ask: (query: StepQuery) => Promise<{ steps: number[] }>;
  /** `until`: last step that was looked at. */
  found: (steps: readonly number[], until: number) => void;
  failed: (thrown: unknown) => void;
}

/**
 * The numbers of all steps of a run that fit: asked for once, then only where something has changed. Requests that come
 * while one is under way are one more request.
 */
export class StepMatches {
  private steps: readonly number[] = [];
  private until = 0;
  private waiting: Span | null = null;
  private asking = false;
  private stopped = false;

  constructor(private readonly source: MatchSource) {}

  /** The run has so many steps now. The last one that was looked at may have been under way, so it is looked at again. */
  grow(steps: number): void {
    if (steps > this.until) this.look(Math.max(1, this.until), steps);
  }

  /** Looks at these steps (again). */
  look(from: number, to: number): void {
    const { waiting } = this;
    this.waiting =
      waiting === null ? { from, to } : { from: Math.min(from, waiting.from), to: Math.max(to, waiting.to) };
    if (this.asking) return;
    this.asking = true;
    this.work()
      .catch((thrown: unknown) => {
        if (!this.stopped) this.source.failed(thrown);
      })
      .finally(() => {
        this.asking = false;
      });
  }

  stop(): void {
    this.stopped = true;
  }

  private async work(): Promise<void> {
    for (let span = this.waiting; span !== null && !this.stopped; span = this.waiting) {
      this.waiting = null;
      const { from, to } = span;
      const asked = this.source.queries.map((query) => within(query, from, to));
      const answers = await Promise.all(
        asked.filter((query) => query.from <= query.to).map((query) => this.source.ask(query)),
      );
      if (this.stopped) return;
      let fresh: readonly number[] = [];
      for (const { steps } of answers) fresh = unionOf(fresh, steps);
      this.steps = this.source.keep ? unionOf(this.steps, fresh) : replaced(this.steps, from, to, fresh);
      this.until = Math.max(this.until, to);
      this.source.found(this.steps, this.until);
    }
  }
}

function within(query: StepQuery, from: number, to: number) {
  return { ...query, from: Math.max(from, query.from ?? 1), to: Math.min(to, query.to ?? to) };
}

/** The list with what lies in `from..to` exchanged for `fresh`. */
function replaced(
  steps: readonly number[],
  from: number,
  to: number,
  fresh: readonly number[],
): readonly number[] {
  return [...steps.slice(0, indexFrom(steps, from)), ...fresh, ...steps.slice(indexFrom(steps, to + 1))];
}
