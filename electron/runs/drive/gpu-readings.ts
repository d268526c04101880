import type { HostGpu } from '@shared/contract/computers';
import type { EventBody } from '@shared/log/events';

/** Below this, per cent, a GPU does nothing. */
const BUSY_FROM = 5;
/** Readings in a row without work until GPUs count as idle: a training loop rests between two steps, and for a checkpoint. */
const QUIET_READINGS = 3;
/** A machine that could not be asked for so long is unknown, ms; a link that is away for a moment says nothing. */
const UNKNOWN_MS = 5 * 60_000;
/** Between two readings further apart than this anything may have happened, ms. */
const GAP_MS = 5 * 60_000;

type Change = EventBody<'gpu.changed'>;

/** Readings of one computer's GPUs → what changed. Stamps are wall-clock ms. */
export class GpuReadings {
  private state: Change['state'] | null = null;
  /** First of the readings in a row that found nothing to do. */
  private quiet: { since: number; readings: number } | null = null;
  private silentSince: number | null = null;
  private lastAt: number | null = null;

  constructor(private readonly computer: string) {}

  /** `gpus` null: it could not be asked. Null when nothing changed. */
  take(gpus: readonly HostGpu[] | null, at: number): Change | null {
    const gap = this.lastAt !== null && (at - this.lastAt > GAP_MS || at < this.lastAt);
    this.lastAt = at;
    if (gap) {
      this.quiet = null;
      this.silentSince = null;
    }
    const told = gpus?.filter(({ utilization }) => utilization !== null) ?? [];
    if (gpus === null || told.length === 0) return this.silent(at);
    this.silentSince = null;
    if (told.some(({ utilization }) => (utilization ?? 0) >= BUSY_FROM)) {
      this.quiet = null;
      return this.change('busy', at, gpus);
    }
    this.quiet = { since: this.quiet?.since ?? at, readings: (this.quiet?.readings ?? 0) + 1 };
    return this.quiet.readings < QUIET_READINGS ? null : this.change('idle', this.quiet.since, gpus);
  }

  /** The last change was not written down: it is told again. */
  lost(): void {
    this.state = null;
  }

  private silent(at: number): Change | null {
    this.silentSince ??= at;
    this.quiet = null;
    return at - this.silentSince < UNKNOWN_MS ? null : this.change('unknown', this.silentSince, []);
  }

  private change(state: Change['state'], since: number, gpus: readonly HostGpu[]): Change | null {
    if (state === this.state) return null;
    this.state = state;
    return {
      computer: this.computer,
      state,
      since: Math.round(since),
      gpus: gpus.map(({ index, utilization, usedMb }) => ({
        index,
        utilization: utilization ?? 0,
        memoryUsedMb: usedMb ?? 0,
      })),
    };
  }
}
