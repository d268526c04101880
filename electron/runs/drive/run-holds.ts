import type { StoredStatus } from '@shared/log/events';
import { hasEnded } from '@shared/runs/run-status';
import type { Clock } from '../../clock';
import type { Store } from '../../store/api';

/** How long a driver that has come to rest may take to let go: the last bytes of a silent host are waited for that long, ms. */
const LET_GO_MS = 15_000;
/** How often to look whether it has, ms. */
const LOOK_MS = 50;

/** Whether a driver that recorded this status does nothing more than let go. */
export function isRest(status: StoredStatus): boolean {
  return status === 'paused' || hasEnded(status);
}

export type RunLock = { epoch: number; release(): void };

/** Who may hold a run's lock, and when: work of this process one after another, another process as long as it drives. */
export class RunHolds {
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    /** Ends the waiting for others. */
    private readonly signal: AbortSignal,
  ) {}

  /** Work on a run that needs its lock waits for the work of this process that was asked for before. */
  inTurn<T>(run: string, work: () => Promise<T>): Promise<T> {
    // Who came before is told of its own failure.
    const mine = (this.turns.get(run) ?? Promise.resolve()).then(work, work);
    this.turns.set(run, mine);
    const over = () => {
      if (this.turns.get(run) === mine) this.turns.delete(run);
    };
    mine.then(over, over);
    return mine;
  }

  /** Whether somebody holds the run, or work of this process is about to. */
  isHeld(run: string): boolean {
    return this.turns.has(run) || this.store.isDriven(run);
  }

  /** The run's lock, once a driver that has come to rest lets go of it; null while another process drives. */
  async lock(run: string): Promise<RunLock | null> {
    await this.untilFree(run);
    return this.store.lockRun(run);
  }

  /** Resolves when no process holds the run, or when the one that does drives it. @throws WaymarkError not_found */
  async untilFree(run: string): Promise<void> {
    const end = this.clock.monotonic() + LET_GO_MS;
    while (this.store.isDriven(run) && this.clock.monotonic() < end) {
      const { stored } = await this.store.reader.run(run);
      if (stored === null || !isRest(stored)) return;
      await this.clock.sleep(LOOK_MS, this.signal);
    }
  }
}
