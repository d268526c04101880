import { powerMonitor, powerSaveBlocker } from 'electron';

export interface PowerOptions {
  /** True while a run thinks or acts here and the setting asks to stay awake. */
  wanted(): boolean;
  /** Called once when the machine runs a driven run from its battery. */
  onBattery(): void;
  /** The machine is awake again: links that were cut meanwhile are worth a try at once. */
  onWake(): void;
  /** Milliseconds the machine stood still. */
  onResume(ms: number): void;
}

/** Holds off idle sleep while it is wanted, and reports every suspension. Call `update()` when runs change. */
export class PowerKeeper {
  readonly #options: PowerOptions;
  #blocker: number | null = null;
  #suspendedAt: number | null = null;
  readonly #suspend = () => {
    this.#suspendedAt = Date.now();
  };
  readonly #resume = () => {
    this.#options.onWake();
    if (this.#suspendedAt !== null) this.#options.onResume(Math.max(0, Date.now() - this.#suspendedAt));
    this.#suspendedAt = null;
  };
  readonly #battery = () => {
    if (this.#options.wanted()) this.#options.onBattery();
  };

  constructor(options: PowerOptions) {
    this.#options = options;
    powerMonitor.on('suspend', this.#suspend);
    powerMonitor.on('resume', this.#resume);
    powerMonitor.on('on-battery', this.#battery);
  }

  update(): void {
    const wanted = this.#options.wanted();
    if (wanted && this.#blocker === null) {
      this.#blocker = powerSaveBlocker.start('prevent-app-suspension');
      if (powerMonitor.isOnBatteryPower()) this.#options.onBattery();
    } else if (!wanted && this.#blocker !== null) {
      powerSaveBlocker.stop(this.#blocker);
      this.#blocker = null;
    }
  }

  dispose(): void {
    powerMonitor.off('suspend', this.#suspend);
    powerMonitor.off('resume', this.#resume);
    powerMonitor.off('on-battery', this.#battery);
    if (this.#blocker !== null) powerSaveBlocker.stop(this.#blocker);
    this.#blocker = null;
  }
}
