import type { PowerState } from '@shared/contract/ipc/application';

/** What a machine says about its power, and the wish that it stays awake. */
export interface PowerSource {
  onBattery(): boolean;
  /** Keeps the machine from falling asleep by itself until the returned function is called. */
  hold(): () => void;
  /** Returns the function that ends the subscription. */
  subscribe(listeners: { suspend(): void; resume(): void; battery(): void; mains(): void }): () => void;
}

export interface PowerOptions {
  source: PowerSource;
  /** Runs that this process drives. */
  driven(): number;
  /** Whether the person wants the machine to stay awake for them. */
  wanted(): boolean;
  /** Wall clock, ms. */
  now(): number;
  /** Called when the machine drives runs from its battery: once as it begins to, and whenever it changes to it. */
  onBattery(): void;
  /** The machine is awake again: links that were cut meanwhile are worth a try at once. */
  onWake(): void;
  /** Milliseconds the machine stood still. */
  onResume(ms: number): void;
  changed(state: PowerState): void;
}

/** Holds off idle sleep while runs are driven, and keeps what became of it. Call `update()` when runs change. */
export class PowerKeeper {
  private readonly options: PowerOptions;
  private readonly unsubscribe: () => void;
  private release: (() => void) | null = null;
  private suspended: { at: number; runs: number } | null = null;
  private lastSleep: PowerState['lastSleep'] = null;
  private told = '';

  constructor(options: PowerOptions) {
    this.options = options;
    this.unsubscribe = options.source.subscribe({
      suspend: () => {
        this.suspended ??= { at: options.now(), runs: options.driven() };
      },
      resume: () => this.resume(),
      battery: () => {
        if (this.holdingFor() > 0) options.onBattery();
        this.tell();
      },
      mains: () => this.tell(),
    });
  }

  get state(): PowerState {
    return {
      holdingFor: this.holdingFor(),
      onBattery: this.options.source.onBattery(),
      lastSleep: this.lastSleep,
    };
  }

  update(): void {
    const wanted = this.options.wanted() && this.options.driven() > 0;
    if (wanted && this.release === null) {
      this.release = this.options.source.hold();
      if (this.options.source.onBattery()) this.options.onBattery();
    } else if (!wanted) {
      this.letGo();
    }
    this.tell();
  }

  dispose(): void {
    this.unsubscribe();
    this.letGo();
  }

  private resume(): void {
    this.options.onWake();
    const { at, runs } = this.suspended ?? { at: null, runs: 0 };
    this.suspended = null;
    if (at === null) return;
    // The clock may have been set back while the machine slept.
    const to = Math.max(at, this.options.now());
    if (runs > 0) this.lastSleep = { from: at, to, runs };
    this.options.onResume(to - at);
    this.tell();
  }

  private holdingFor(): number {
    return this.release === null ? 0 : this.options.driven();
  }

  private letGo(): void {
    this.release?.();
    this.release = null;
  }

  /** Runs change with every step; the window hears only of what is new about power. */
  private tell(): void {
    const { state } = this;
    const text = JSON.stringify(state);
    if (text === this.told) return;
    this.told = text;
    this.options.changed(state);
  }
}
