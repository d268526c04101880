import { networkInterfaces } from 'node:os';
import type { LinkClock } from '../../../clock';

const everyMs = 3000;
/** Clocks that part by more than this between two looks: the machine slept, ms. */
const sleptMs = 3000;

/** Addresses of this machine as one text; another text means another network. */
export function networkFingerprint(): string {
  return Object.entries(networkInterfaces())
    .flatMap(([name, addresses = []]) =>
      addresses.filter(({ internal }) => !internal).map(({ address }) => `${name} ${address}`),
    )
    .sort()
    .join('\n');
}

/** Tells when the machine's network is another one, and when the machine slept. Looks only while it is wanted. */
export class NetworkWatch {
  private before: string | undefined;
  /** Wall clock minus monotonic clock, ms. */
  private offset = 0;
  private cancelTimer: () => void = () => undefined;

  constructor(
    private readonly clock: LinkClock,
    private readonly fingerprint: () => string,
    private readonly onChange: () => void,
  ) {}

  want(wanted: boolean): void {
    if (wanted === (this.before !== undefined)) return;
    this.cancelTimer();
    this.before = wanted ? this.look() : undefined;
    if (wanted) this.arm();
  }

  private look(): string {
    this.offset = this.clock.now() - this.clock.monotonic();
    return this.fingerprint();
  }

  private arm(): void {
    this.cancelTimer = this.clock.after(everyMs, () => {
      const { before, offset } = this;
      this.before = this.look();
      this.arm();
      // The monotonic clock stands still while the machine sleeps.
      if (this.before !== before || Math.abs(this.offset - offset) > sleptMs) this.onChange();
    });
  }
}
