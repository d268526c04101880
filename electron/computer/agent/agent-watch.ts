import { ComputerUnavailable } from '../failures';
import type { SessionWatch } from '../sessions/backend';
import type { AgentClient } from './agent-client';
import type { AgentLink } from './agent-link';

/** Behind the host's word, which polls itself where its kernel is silent. */
const firstPollMs = 500;
const lastPollMs = 8000;
export interface AgentWatchOptions {
  /** How long to wait for the host's word before the first look without it. */
  firstPollMs?: number;
}

/**
 * A session's directory on a host, watched over whatever channel is up. When there is none, every moment is worth a
 * look: the look is what says that the host is away.
 */
export class AgentWatch implements SessionWatch {
  private readonly link: Pick<AgentLink, 'client'>;
  private readonly directory: string;
  private readonly options: AgentWatchOptions;
  private watched: { client: AgentClient; close(): void } | undefined;
  private readonly waiting = new Set<() => void>();
  private reports = 0;
  private pollMs: number;
  private closed = false;

  constructor(link: Pick<AgentLink, 'client'>, directory: string, options: AgentWatchOptions = {}) {
    this.link = link;
    this.directory = directory;
    this.options = options;
    this.pollMs = this.firstPollMs;
  }

  private get firstPollMs(): number {
    return this.options.firstPollMs ?? firstPollMs;
  }

  get heard(): number {
    return this.reports;
  }

  listening(): boolean {
    return !this.closed && this.watching();
  }

  async changed(signal: AbortSignal, since?: number): Promise<void> {
    const before = since ?? this.reports;
    if (signal.aborted || this.closed || !this.watching()) return;
    // Something was heard while the caller's last look was under way, and may not be in it.
    if (before !== this.reports) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(() => {
        this.pollMs = Math.max(this.pollMs, Math.min(this.pollMs * 2, lastPollMs));
        done();
      }, this.pollMs);
      this.waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  close(): void {
    this.closed = true;
    this.watched?.close();
    this.watched = undefined;
    this.tell();
  }

  /** Sees to it that the channel of now watches; false when there is none. */
  private watching(): boolean {
    const client = clientNow(this.link);
    if (!client) return false;
    if (this.watched?.client !== client) {
      this.watched?.close();
      const { close } = client.watch(this.directory, () => this.change());
      this.watched = { client, close };
      // What changed before the watch began may not be known yet.
      this.reports += 1;
    }
    return true;
  }

  private change(): void {
    this.reports += 1;
    this.pollMs = this.firstPollMs;
    this.tell();
  }

  private tell(): void {
    for (const done of [...this.waiting]) done();
  }
}

function clientNow(link: Pick<AgentLink, 'client'>): AgentClient | undefined {
  try {
    return link.client();
  } catch (error) {
    if (error instanceof ComputerUnavailable) return undefined;
    throw error;
  }
}
