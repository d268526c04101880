import { randomBytes } from 'node:crypto';
import { ComputerUnavailable } from '../failures';
import type { SessionSpec } from '../port';
import type { SessionBackend, SessionLook, StartOrder } from './backend';
import type { BackedSession } from './session';

const firstPromptMs = 15_000;

/** Starts sessions, each once: the same call again after a broken link finds what the first one may have made. */
export class SessionStarts {
  private readonly backend: SessionBackend;
  private readonly limitBytes: number;
  /** Orders that went unanswered, by name. */
  private readonly unsure = new Map<string, { order: StartOrder; asked: string }>();

  constructor(backend: SessionBackend, limitBytes: number) {
    this.backend = backend;
    this.limitBytes = limitBytes;
  }

  async start(
    spec: SessionSpec,
    directory: string,
    env: Record<string, string>,
  ): Promise<'started' | 'exists'> {
    const asked = JSON.stringify([spec, env]);
    const unsure = this.unsure.get(spec.name);
    this.unsure.delete(spec.name);
    const order = unsure?.asked === asked ? unsure.order : this.order(spec, directory, env);
    try {
      const verdict = await this.backend.start(order);
      if (verdict === 'started' || !(await this.backend.clearUnfinished(directory))) return verdict;
      return await this.backend.start(order);
    } catch (error) {
      if (error instanceof ComputerUnavailable) this.unsure.set(spec.name, { order, asked });
      throw error;
    }
  }

  private order(spec: SessionSpec, directory: string, env: Record<string, string>): StartOrder {
    const { name, cwd, rows, cols } = spec;
    return {
      name,
      directory,
      id: randomBytes(8).toString('hex'),
      nonce: randomBytes(12).toString('hex'),
      cwd,
      rows,
      cols,
      env,
      profile: spec.profile !== false,
      limitBytes: this.limitBytes,
    };
  }
}

/**
 * Resolves once the shell shows its first prompt or is gone, or after 15 s: then the session is simply still busy.
 * @throws SessionReplaced when somebody closed it meanwhile
 */
export async function untilFirstPrompt(session: BackedSession): Promise<SessionLook> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), firstPromptMs);
  try {
    for (;;) {
      const look = await session.mustLook();
      if (look.life !== 'alive' || !session.index.starting || limit.signal.aborted) return look;
      await session.changed(limit.signal, look);
    }
  } finally {
    clearTimeout(timer);
  }
}
