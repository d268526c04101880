import { type ErrorCode, WaymarkError } from '@shared/contract/errors';
import type { NewEvent } from '@shared/log/events';
import type { RecorderPort } from '../../agent/ports';
import { backOffMs } from '../../base/back-off';
import { SerialQueue } from '../../base/serial-queue';
import type { Clock } from '../../clock';
import type { StoreWriter } from '../../store/api';

/** How long to wait before another try of what the disk or a lock refused. */
const PAUSES = { firstMs: 250, longestMs: 5_000 };

/** Called after the commit, in commit order. `at`: wall clock, ms. */
export type RecordedListener = (events: readonly NewEvent[], at: number) => void;

export interface RecorderOptions {
  writer: Pick<StoreWriter, 'append' | 'appendIfOutboxAt'>;
  run: string;
  epoch: number;
  clock: Clock;
  /** Ends the waiting for a full disk or a locked workspace. */
  signal: AbortSignal;
  /** Events wait for a disk that is full, a workspace that is locked and the like; null: they are stored now. */
  waiting?(failure: WaymarkError | null): void;
}

/**
 * The only one who appends to the run's log. Listeners (the folds) hear of events after the commit and before
 * `record` resolves, so whoever waited finds them applied. Appends are strictly one after another.
 */
export class Recorder implements RecorderPort {
  private readonly listeners: RecordedListener[] = [];
  private readonly appends = new SerialQueue();
  private attempt: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: RecorderOptions) {}

  onRecorded(listener: RecordedListener): void {
    this.listeners.push(listener);
  }

  async record(events: NewEvent[]): Promise<void> {
    const { writer, run, epoch } = this.options;
    await this.next(events, async () => ({ raced: false, ...(await writer.append(run, epoch, events)) }));
  }

  async recordIfOutboxAt(head: number, events: NewEvent[]): Promise<{ raced: boolean }> {
    const { writer, run, epoch } = this.options;
    return this.next(events, () => writer.appendIfOutboxAt(run, epoch, head, events));
  }

  /** Resolves when the append that is under way has been tried, and listeners have heard of it. */
  async tried(): Promise<void> {
    await this.attempt;
    // The listeners hear of a commit right after it.
    await new Promise((resolve) => setImmediate(resolve));
  }

  private next(events: NewEvent[], append: () => Promise<{ raced: boolean }>): Promise<{ raced: boolean }> {
    return this.appends.run(async () => {
      const { raced } = await this.untilStored(append);
      if (!raced) {
        const at = this.options.clock.now();
        for (const listener of this.listeners) {
          listener(events, at);
        }
      }
      return { raced };
    });
  }

  /** What the disk or a lock refuses now is stored when they let it (trust, P7); nothing is given up meanwhile. */
  private async untilStored<T>(append: () => Promise<T>): Promise<T> {
    const { clock, signal, waiting } = this.options;
    for (let failures = 0; ; failures += 1) {
      try {
        const tried = append();
        this.attempt = tried.catch(() => undefined);
        const stored = await tried;
        if (failures > 0) waiting?.(null);
        return stored;
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (failures === 0) waiting?.(error);
        await clock.sleep(backOffMs(failures + 1, PAUSES, 0), signal);
      }
    }
  }
}

const PASSING: readonly ErrorCode[] = ['disk_full', 'workspace_locked', 'workspace_moved', 'system_busy'];

/**
 * Whether a write that failed this way succeeds when it is tried again later, and nothing of it is stored by now: room comes back,
 * a lock is released, files are closed, a folder is moved back.
 */
export function isPassing(thrown: unknown): thrown is WaymarkError {
  return thrown instanceof WaymarkError && PASSING.includes(thrown.code);
}
