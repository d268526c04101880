import type { NewEvent } from '../log/events';

interface Interval {
  from: number;
  to: number;
}

/**
 * Working time of a run, from its events (semantics: Time). It is the union of
 * (a) driver up and thinking, acting or sleeping: from `run.status` running to any other status, and
 * (b) intervals in which a command of the run was running while no driver worked (`command.ran`),
 * minus suspension (`clock.suspended`). Waiting for a host or a human, pauses and the absence of a killed driver
 * do not count, unless a command ran. Wall-clock ms; where the clock was set back (`clock.jumped`, or a driver that begins
 * before the last one ended) what was counted until then stays counted, and counting goes on from the new time.
 */
export class WorkingTime {
  private readonly active: Interval[] = [];
  private readonly commands: Interval[] = [];
  private readonly suspended: Interval[] = [];
  private openSince: number | null = null;
  private lastAt = 0;
  /** Counted on an earlier reckoning of the clock, or by a branch's parent. */
  private before = 0;
  private stopped: number | null = null;

  /** `at`: the event's wall clock. Events in order. */
  apply(event: NewEvent, at: number): void {
    switch (event.kind) {
      case 'driver.started':
        // A driver that died did not say when: its heartbeat does, else its last event.
        this.stop(Math.max(this.lastAt, event.body.aliveUntil ?? 0));
        break;
      case 'clock.jumped':
        this.rebase(event.body.from, event.body.to);
        break;
      case 'run.status':
        if (event.body.status === 'running') {
          if (this.openSince === null && at < (this.active.at(-1)?.to ?? 0)) this.rebase(at, at);
          this.openSince ??= at;
        } else {
          this.stop(at);
        }
        break;
      case 'branch.began':
        this.before += event.body.spent.workingMs;
        break;
      case 'command.ran':
        this.commands.push({ from: event.body.from, to: event.body.to });
        break;
      case 'clock.suspended':
        this.suspended.push({ from: event.body.from, to: event.body.to });
        break;
      default:
        break;
    }
    this.lastAt = event.kind === 'clock.jumped' ? event.body.to : Math.max(this.lastAt, at);
  }

  /** Whether time counts right now. */
  get running(): boolean {
    return this.openSince !== null;
  }

  /** Until when time counted so far: the begin of the present gap; null while it counts or before the start. */
  get stoppedAt(): number | null {
    return this.openSince === null ? this.stopped : null;
  }

  /** Working time at wall clock `now`, ms. For an ended or undriven run any `now` gives the same. */
  ms(now: number): number {
    const open = this.openSince;
    const counted = [...this.active, ...this.commands];
    if (open !== null && now > open) {
      counted.push({ from: open, to: now });
    }
    const suspended = merge(this.suspended);
    return merge(counted).reduce(
      (sum, interval) => sum + length(interval) - overlap(interval, suspended),
      this.before,
    );
  }

  /** Everything so far becomes a sum; what comes is reckoned by the clock as it is now. */
  private rebase(from: number, to: number): void {
    const open = this.openSince !== null;
    this.before = this.ms(from);
    for (const intervals of [this.active, this.commands, this.suspended]) {
      intervals.length = 0;
    }
    this.openSince = open ? to : null;
    this.lastAt = to;
  }

  private stop(at: number): void {
    if (this.openSince !== null && at > this.openSince) {
      this.active.push({ from: this.openSince, to: at });
    }
    if (this.openSince !== null) {
      this.stopped = Math.max(at, this.openSince);
    }
    this.openSince = null;
  }
}

const length = ({ from, to }: Interval) => to - from;

function merge(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const { from, to } of intervals
    .filter((each) => each.to > each.from)
    .sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) {
      last.to = Math.max(last.to, to);
    } else {
      merged.push({ from, to });
    }
  }
  return merged;
}

function overlap(interval: Interval, others: readonly Interval[]): number {
  return others.reduce(
    (sum, other) => sum + Math.max(0, Math.min(interval.to, other.to) - Math.max(interval.from, other.from)),
    0,
  );
}
