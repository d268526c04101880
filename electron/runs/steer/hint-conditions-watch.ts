import type { NewEvent } from '@shared/log/events';
import { isDue, type WaitingHint } from '@shared/runs/hint-queue';
import { SerialQueue } from '../../base/serial-queue';
import { type Clock, within } from '../../clock';
import type { Computer } from '../../computer/port';
import { SessionIdle } from './hint-conditions';
import type { OutboxFollower } from './outbox-follower';

/** Between two looks at sessions and clock, only while a hint waits for them, ms. */
const HINT_LOOK_MS = 5_000;
/** How long a request waits for such a look at most, ms. */
const PATIENCE_MS = 1_000;
/** How long a host that does not answer any more is waited for at the end, ms. */
const STOP_MS = 3_000;

export interface HintWatchDeps {
  follower: OutboxFollower;
  computers: ReadonlyMap<string, Computer>;
  clock: Clock;
  record(events: NewEvent[]): Promise<void>;
  failed(error: unknown): void;
}

/**
 * Writes `hint.due` into the log when the condition of a waiting hint comes true. From then on the hint is due, also after a
 * kill. It never ends a sleep: the hint goes out with the next request.
 */
export class HintWatch {
  private readonly sessions: SessionIdle;
  private readonly stopping = new AbortController();
  private readonly unsubscribe: () => void;
  /** By the entry that set the condition: what was seen at a computer and is not in the log yet. */
  private readonly seen = new Map<string, string>();
  private readonly checks = new SerialQueue();
  private looking: Promise<void> | null = null;

  constructor(private readonly deps: HintWatchDeps) {
    this.sessions = new SessionIdle(deps.computers);
    this.unsubscribe = deps.follower.onChange(() => this.notice());
    this.notice();
  }

  /** Something happened: looks whether it makes a hint due, and goes on looking while one waits for time or sessions. */
  notice(): void {
    if (this.stopping.signal.aborted || this.pending().length === 0) return;
    this.check().catch((error: unknown) => this.tell(error));
    if (this.looking === null && this.pending().some(needsLooks)) {
      this.looking = this.keepLooking()
        .catch((error: unknown) => this.tell(error))
        .finally(() => {
          this.looking = null;
        });
    }
  }

  /** For a request that is about to go out: looks at the sessions first, so that a job that just ended counts. */
  async beforeRequest(): Promise<void> {
    await within(PATIENCE_MS, this.lookAtSessions());
    await this.check();
  }

  /** Resolves once everything that is known to have come true is in the log. */
  private check(): Promise<void> {
    return this.checks.run(() => this.checkNow());
  }

  async stop(): Promise<void> {
    this.unsubscribe();
    this.stopping.abort(new Error('The run is no longer driven here.'));
    await within(STOP_MS, Promise.all([this.looking, this.checks.idle()]));
  }

  private pending(): WaitingHint[] {
    return this.deps.follower.queue.waiting().filter((hint) => !isDue(hint));
  }

  private async checkNow(): Promise<void> {
    const { follower, clock, record } = this.deps;
    const now = clock.now();
    const events = this.pending().flatMap((hint): NewEvent[] => {
      const { entry } = hint.set;
      const why = this.seen.get(entry) ?? follower.conditions.cameTrue(hint, now);
      return why === null ? [] : [{ kind: 'hint.due', body: { id: hint.id, entry, why } }];
    });
    if (events.length > 0) await record(events);
  }

  private async keepLooking(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted && this.pending().some(needsLooks)) {
      await this.lookAtSessions();
      if (signal.aborted) return;
      await this.check();
      await this.deps.clock.sleep(HINT_LOOK_MS, signal).catch(() => undefined);
    }
  }

  /** What goes wrong at one computer is told, and looked at again the next time. */
  private async lookAtSessions(): Promise<void> {
    const waiting = this.pending().filter(({ deliver }) => deliver.when === 'session_idle');
    if (waiting.length === 0) return;
    try {
      for (const [entry, why] of await this.sessions.look(waiting)) this.seen.set(entry, why);
    } catch (error) {
      this.tell(error);
    }
  }

  private tell(error: unknown): void {
    if (!this.stopping.signal.aborted) this.deps.failed(error);
  }
}

function needsLooks({ deliver }: WaitingHint): boolean {
  return deliver.when === 'session_idle' || deliver.when === 'gpu_idle';
}
