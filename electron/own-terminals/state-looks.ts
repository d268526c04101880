/** After output, until it is looked what the terminal does now, ms. */
const lookMs = { shown: 300, hidden: 1_500 } as const;
/** While a command runs that may come to wait without a word, ms. */
const lookAgainMs = 2_000;

/** When it is looked what a terminal does: soon after it printed something, and now and then while a command runs in sight. */
export class StateLooks {
  private readonly look: () => Promise<{ busy: boolean }>;
  private readonly shown: () => boolean;
  private planned: { due: number; timer: NodeJS.Timeout } | undefined;
  private stopped = false;

  /** `look` never rejects. */
  constructor(look: () => Promise<{ busy: boolean }>, shown: () => boolean) {
    this.look = look;
    this.shown = shown;
  }

  async now(): Promise<void> {
    const { busy } = await this.look();
    if (busy && this.shown()) this.within(lookAgainMs);
  }

  soon(): void {
    this.within(this.shown() ? lookMs.shown : lookMs.hidden);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.planned?.timer);
  }

  /** Looks after that time, or earlier when that was planned. */
  private within(ms: number): void {
    const due = performance.now() + ms;
    if (this.stopped || (this.planned !== undefined && this.planned.due <= due)) return;
    clearTimeout(this.planned?.timer);
    const timer = setTimeout(() => {
      this.planned = undefined;
      void this.now();
    }, ms);
    this.planned = { due, timer };
  }
}
