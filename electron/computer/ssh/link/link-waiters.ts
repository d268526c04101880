import type { AgentClient } from '../../agent/agent-client';

interface Waiter {
  resolve(client: AgentClient): void;
  reject(error: unknown): void;
}

/** Those who wait for a link to come up. */
export class LinkWaiters {
  private readonly waiting = new Set<Waiter>();

  /** @throws the signal's reason, or what `reject` was given */
  async add(signal: AbortSignal): Promise<AgentClient> {
    let waiter: Waiter | undefined;
    let onAbort: () => void = () => undefined;
    try {
      return await new Promise((resolve, reject) => {
        waiter = { resolve, reject };
        onAbort = () => reject(signal.reason);
        signal.addEventListener('abort', onAbort, { once: true });
        this.waiting.add(waiter);
      });
    } finally {
      if (waiter) this.waiting.delete(waiter);
      signal.removeEventListener('abort', onAbort);
    }
  }

  resolve(client: AgentClient): void {
    for (const waiter of this.waiting) waiter.resolve(client);
  }

  reject(error: unknown): void {
    for (const waiter of this.waiting) waiter.reject(error);
  }
}
