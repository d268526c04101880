import { networkInterfaces } from 'node:os';
import type { LinkClock } from './link-clock';

const everyMs = 3000;

/** Addresses of this machine as one text; another text means another network. */
export function networkFingerprint(): string {
  return Object.entries(networkInterfaces())
    .flatMap(([name, addresses = []]) =>
      addresses.filter(({ internal }) => !internal).map(({ address }) => `${name} ${address}`),
    )
    .sort()
    .join('\n');
}

/** Tells when the machine's network is another one. Looks only while it is wanted. */
export class NetworkWatch {
  private before: string | undefined;
  private cancelTimer: () => void = () => undefined;

  constructor(
    private readonly clock: LinkClock,
    private readonly fingerprint: () => string,
    private readonly onChange: () => void,
  ) {}

  want(wanted: boolean): void {
    const wasWanted = this.before !== undefined;
    if (wanted === wasWanted) return;
    this.cancelTimer();
    this.before = wanted ? this.fingerprint() : undefined;
    if (wanted) this.arm();
  }

  private arm(): void {
    this.cancelTimer = this.clock.after(everyMs, () => {
      const now = this.fingerprint();
      const changed = now !== this.before;
      this.before = now;
      this.arm();
      if (changed) this.onChange();
    });
  }
}
