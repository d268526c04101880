import { WaymarkError } from '@shared/errors';
import type { NewEvent } from '@shared/events';
import type { RecorderPort } from '../agent/ports';
import type { Clock } from '../clock';
import type { StoreWriter } from '../store/api';

/** How long to wait before a full disk is tried again, ms. */
const DISK_RETRY_MS = 2_000;

/** Called after the commit, in commit order. `at`: wall clock, ms. */
export type RecordedListener = (events: readonly NewEvent[], at: number) => void;

export interface RecorderOptions {
  writer: Pick<StoreWriter, 'append' | 'appendIfOutboxAt'>;
  run: string;
  epoch: number;
  clock: Clock;
  /** Ends the waiting for a full disk. */
  signal: AbortSignal;
}

/**
 * The only one who appends to the run's log. Listeners (the folds) hear of events after the commit and before
 * `record` resolves, so whoever waited finds them applied. Appends are strictly one after another.
 */
export class Recorder implements RecorderPort {
  private readonly listeners: RecordedListener[] = [];
  private queue: Promise<unknown> = Promise.resolve();

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

  private next(events: NewEvent[], append: () => Promise<{ raced: boolean }>): Promise<{ raced: boolean }> {
    const result = this.queue.then(async () => {
      const { raced } = await this.untilRoom(append);
      if (!raced) {
        const at = this.options.clock.now();
        for (const listener of this.listeners) {
          listener(events, at);
        }
      }
      return { raced };
    });
    // The caller gets the failure; the queue itself goes on.
    this.queue = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  /** A full disk stops new work until there is room again (trust, P7); nothing is given up meanwhile. */
  private async untilRoom<T>(append: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await append();
      } catch (error) {
        if (!(error instanceof WaymarkError) || error.code !== 'disk_full') {
          throw error;
        }
        await this.options.clock.sleep(DISK_RETRY_MS, this.options.signal);
      }
    }
  }
}
