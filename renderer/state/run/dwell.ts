import { useSettings } from '../settings';

/** Steps whose time is remembered while they wait for a decision. */
const KEEP = 500;

/** Adds up how long each step was in view; time with the window hidden or without the focus does not count. */
export class DwellClock {
  private readonly times = new Map<string, number>();
  private shown: string | null = null;
  private since = 0;
  private looking = true;

  /** The step in view, by any name of it; null for none. `at` in ms, of one clock. */
  show(step: string | null, at: number): void {
    this.settle(at);
    this.shown = step;
  }

  /** Whether the window is visible and has the focus. */
  look(looking: boolean, at: number): void {
    this.settle(at);
    this.looking = looking;
  }

  /** How long the step was in view until now, ms; it begins anew. */
  take(step: string, at: number): number {
    this.settle(at);
    const ms = this.times.get(step) ?? 0;
    this.times.delete(step);
    return Math.round(ms);
  }

  private settle(at: number): void {
    if (this.shown !== null && this.looking) {
      const before = this.times.get(this.shown) ?? 0;
      this.times.delete(this.shown);
      this.times.set(this.shown, before + Math.max(0, at - this.since));
      const [oldest] = this.times.keys();
      if (this.times.size > KEEP && oldest !== undefined) this.times.delete(oldest);
    }
    this.since = at;
  }
}

const decided = new Map<string, number>();

/** Remembers the time of a decision until it is sent. */
export function rememberDwell(run: string, step: number, ms: number): void {
  decided.set(`${run}/${step}`, ms);
  const [oldest] = decided.keys();
  if (decided.size > KEEP && oldest !== undefined) decided.delete(oldest);
}

/** What a decision about one step carries of its time: nothing unless the person shares their times. */
export function sharedDwell(run: string, { from, to }: { from: number; to: number }): { dwellMs?: number } {
  const ms = decided.get(`${run}/${from}`);
  const shares = useSettings.getState().settings?.shareTimes === true;
  return shares && from === to && ms !== undefined ? { dwellMs: ms } : {};
}
