import type { NewEvent } from '@shared/log/events';
import type { Clock } from '../../clock';
import { ComputerUnavailable } from '../../computer/failures';
import { runsSomething } from '../../computer/hosts';
import type { Computer } from '../../computer/port';

/** Between two looks for files that a running command changed, ms. */
const LOOK_MS = 30_000;

export interface CodeWatchDeps {
  computers: ReadonlyMap<string, Computer>;
  clock: Clock;
  /** Looks for changed code files; see `ActionPort.codeChanges`. */
  scan(): Promise<NewEvent[]>;
  record(events: NewEvent[]): Promise<void>;
  failed(error: unknown): void;
}

/**
 * While a command of the run goes on, what it changes in the task's code folders is found on a timer as well, not only after
 * the next action: a training script that rewrites its configuration over night shows when it did.
 */
export class CodeWatch {
  private readonly deps: CodeWatchDeps;
  private readonly stopping = new AbortController();
  private readonly over: Promise<void>;

  constructor(deps: CodeWatchDeps) {
    this.deps = deps;
    this.over = this.watch();
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('The run is no longer driven here.'));
    await this.over;
  }

  private async watch(): Promise<void> {
    const { clock, failed } = this.deps;
    const { signal } = this.stopping;
    while (await clock.sleep(LOOK_MS, signal).then(goesOn, stopped)) {
      try {
        await this.look();
      } catch (error) {
        // A computer that is away is looked at again when it is back.
        if (!(error instanceof ComputerUnavailable)) failed(error);
      }
    }
  }

  private async look(): Promise<void> {
    const { computers, scan, record } = this.deps;
    const running = await Promise.all([...computers.values()].map(runsSomething));
    if (!running.includes(true) || this.stopping.signal.aborted) return;
    const events = await scan();
    if (events.length > 0) await record(events);
  }
}

const goesOn = () => true;
const stopped = () => false;
