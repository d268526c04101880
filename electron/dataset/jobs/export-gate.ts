import { WaymarkError } from '@shared/contract/errors';

/** Where an export waits while it is paused, and ends when it is cancelled or stopped: it looks here between two pages. */
export class ExportGate {
  /** What was written stays: somebody will go on. */
  keeps = false;
  private readonly controller = new AbortController();
  private waiting: { passed: Promise<void>; open(): void } | null = null;

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isPaused(): boolean {
    return this.waiting !== null;
  }

  pause(): void {
    if (this.waiting !== null || this.signal.aborted) return;
    let open: () => void = () => undefined;
    const passed = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.waiting = { passed, open };
  }

  resume(): void {
    this.waiting?.open();
    this.waiting = null;
  }

  cancel(): void {
    this.controller.abort();
    this.resume();
  }

  stop(): void {
    this.keeps = true;
    this.cancel();
  }

  /** Resolves at once unless it is paused. Lets messages of other threads in. @throws WaymarkError cancelled */
  async pass(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting !== null) await this.waiting.passed;
    if (this.signal.aborted)
      throw new WaymarkError('cancelled', 'The export was cancelled; nothing was written.');
  }
}
