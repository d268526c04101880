import type { LinkHealth, LinkState } from '@shared/contract/computers';
import { ComputerUnavailable } from '../computer/failures';
import type { HostComputer } from '../computer/hosts';
import type { LocalComputer } from '../computer/local/local-computer';
import type { SessionHost } from '../computer/port';

/** A computer that is this one and can be made to look like a distant one whose link goes and comes back. */
export class AwayComputer implements HostComputer {
  readonly kind = 'ssh';
  readonly alias: string;
  readonly name: string;
  readonly sessions: SessionHost;
  readonly files: LocalComputer['files'];
  private readonly local: LocalComputer;
  private readonly waiting = new Set<() => void>();
  private readonly following = new Set<(reason: Error) => void>();
  private state: LinkState = 'good';

  constructor(alias: string, local: LocalComputer) {
    this.alias = alias;
    this.name = alias;
    this.local = local;
    this.files = local.files;
    this.sessions = new Proxy<SessionHost>(local.sessions, {
      get: (target, property) => {
        const method = Reflect.get(target, property) as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) =>
          this.overLink(() => method.apply(target, args), property === 'follow' ? args : null);
      },
    });
  }

  /** `good` and `degraded` answer; everything else does not, and what runs over the link breaks. */
  set link(state: LinkState) {
    this.state = state;
    if (this.up) for (const resolve of this.waiting) resolve();
    else for (const cut of this.following) cut(this.unavailable());
  }

  health(): LinkHealth {
    const base = { alias: this.alias, lastByteAt: null, roundTripMs: null, retryAt: null, tries: 0 };
    return { ...base, state: this.state, since: 0, message: this.up ? '' : 'No answer on port 22.' };
  }

  async linked(signal: AbortSignal): Promise<void> {
    if (this.state === 'idle') this.state = 'good';
    while (!this.up) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.waiting.add(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  async probe() {
    return { ...(await this.local.probe()), sessionsDir: '', limits: [] };
  }

  exec(): never {
    throw new Error('This stand-in runs no scripts.');
  }

  dispose(): Promise<void> {
    return this.local.dispose();
  }

  private get up(): boolean {
    return this.state === 'good' || this.state === 'degraded';
  }

  private unavailable(): ComputerUnavailable {
    return new ComputerUnavailable(this.alias, `${this.alias} is ${this.state}.`);
  }

  private async overLink(work: () => Promise<unknown>, follow: unknown[] | null): Promise<unknown> {
    if (!this.up) throw this.unavailable();
    if (follow === null) return work();
    // A cut ends the follower here and now; what it had handed over stays handed over.
    const own = new AbortController();
    const given = follow[3] as AbortSignal;
    given.addEventListener('abort', () => own.abort(), { once: true });
    if (given.aborted) own.abort();
    follow[3] = own.signal;
    let broken: Error | undefined;
    const cut = (reason: Error) => {
      broken = reason;
      own.abort();
    };
    this.following.add(cut);
    try {
      const result = await work();
      if (broken !== undefined) throw broken;
      return result;
    } finally {
      this.following.delete(cut);
    }
  }
}
