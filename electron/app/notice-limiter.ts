const HOUR_MS = 60 * 60_000;

export interface NoticeClock {
  /** Monotonic, ms. */
  monotonic(): number;
  /** Calls `run` after `ms`; returns the function that calls it off. */
  after(ms: number, run: () => void): () => void;
}

/** One thing to say about a run. */
export interface Offer {
  run: string;
  step: number | null;
  title: string;
  text: string;
  urgency: number;
}

/** What is shown: the most urgent offer, and how many more it stands for. */
export interface Batch extends Offer {
  more: number;
}

interface Task {
  shownAt: number[];
  waiting: Offer[];
  cancel: (() => void) | null;
}

/**
 * At most so many notices an hour for each task. What comes together is said together; what comes beyond the limit waits
 * and is said in one notice as soon as the hour allows.
 */
export class NoticeLimiter {
  private readonly tasks = new Map<string, Task>();

  constructor(
    private readonly clock: NoticeClock,
    private readonly perHour: () => number,
    /** How long a first thing waits for others, ms. */
    private readonly gatherMs: number,
    private readonly show: (batch: Batch) => void,
  ) {}

  offer(task: string, offer: Offer): void {
    const known = this.tasks.get(task) ?? { shownAt: [], waiting: [], cancel: null };
    this.tasks.set(task, known);
    known.waiting.push(offer);
    this.plan(known);
  }

  /** The person looks at the run now: what waits about it need not be said any more. */
  drop(run: string): void {
    for (const task of this.tasks.values()) {
      task.waiting = task.waiting.filter((offer) => offer.run !== run);
      if (task.waiting.length === 0) this.callOff(task);
    }
  }

  dispose(): void {
    for (const task of this.tasks.values()) this.callOff(task);
    this.tasks.clear();
  }

  private plan(task: Task): void {
    if (task.cancel !== null || task.waiting.length === 0) return;
    const now = this.clock.monotonic();
    task.shownAt = task.shownAt.filter((at) => now - at < HOUR_MS);
    const limit = this.perHour();
    if (limit === 0) {
      task.waiting = [];
      return;
    }
    const oldest = task.shownAt.length < limit ? undefined : task.shownAt.at(-limit);
    const wait = oldest === undefined ? 0 : oldest + HOUR_MS - now;
    task.cancel = this.clock.after(Math.max(wait, this.gatherMs), () => {
      task.cancel = null;
      this.say(task);
    });
  }

  private say(task: Task): void {
    const [first] = [...task.waiting].sort((a, b) => a.urgency - b.urgency);
    if (first === undefined) return;
    const more = task.waiting.length - 1;
    task.waiting = [];
    task.shownAt.push(this.clock.monotonic());
    this.show({ ...first, more });
  }

  private callOff(task: Task): void {
    task.cancel?.();
    task.cancel = null;
  }
}
