import { type FSWatcher, watch } from 'node:fs';
import type { SessionWatch } from '../sessions/backend';

/** After a change, later ones within this time are handled together: a flood is read in large pieces. */
const gatherMs = 4;
const firstPollMs = 50;
const lastPollMs = 1000;

/**
 * Tells when something may have changed in a session's directory: file system events while somebody waits, with a poll
 * that backs off behind them, because events can be missing (limits of the system, odd file systems) and
 * the death of a process causes none.
 */
export class SpoolWatch implements SessionWatch {
  private readonly directory: string;
  private readonly growth: boolean;
  private watcher: FSWatcher | undefined;
  private waiters = new Set<() => void>();
  private changedAt = 0;
  private pollMs = firstPollMs;
  private events = true;

  /** `growth`: the log's growth counts as a change too. */
  constructor(directory: string, { growth }: { growth: boolean }) {
    this.directory = directory;
    this.growth = growth;
  }

  /** Events here come late and more than one for a change; the poll behind them is what misses nothing. */
  readonly heard = 0;

  listening(): boolean {
    return false;
  }

  /** Resolves at the next change, at the next poll, or when `signal` aborts; never rejects. */
  async changed(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.open();
    const recent = performance.now() - this.changedAt < 50;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.waiters.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const poll = () => {
        this.pollMs = Math.min(this.pollMs * 2, lastPollMs);
        done();
      };
      const timer = recent ? setTimeout(done, gatherMs) : setTimeout(poll, this.pollMs);
      // While output flows the timer alone decides: one wake-up per piece instead of one per write.
      if (!recent) this.waiters.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  /** Call when new bytes were seen: the next wait is a short one. */
  active(): void {
    this.changedAt = performance.now();
    this.pollMs = firstPollMs;
  }

  close(): void {
    this.watcher?.close();
    this.watcher = undefined;
    for (const done of [...this.waiters]) done();
  }

  private open(): void {
    if (this.watcher || !this.events) return;
    try {
      this.watcher = watch(this.directory, { persistent: false }, (_event, name) => {
        if (name === 'spool' && !this.growth) return;
        // One that comes while the caller still looks at what was before is not waited for: the poll is near then.
        this.pollMs = firstPollMs;
        for (const done of [...this.waiters]) done();
      });
      this.watcher.on('error', () => this.pollOnly());
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOSPC' && code !== 'EMFILE' && code !== 'ENOENT') throw error;
      this.pollOnly();
    }
  }

  /** The system has no watch to give: the poll carries on alone. */
  private pollOnly(): void {
    this.watcher?.close();
    this.watcher = undefined;
    this.events = false;
  }
}
