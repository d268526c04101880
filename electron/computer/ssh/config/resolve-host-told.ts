import { ConnectFailure } from '../link/connect-failure';
import type { OpenOptions } from '../transport';
import { type ResolvedHost, type ResolveOptions, resolveHost } from './resolve-host';

/** Resolves an alias as the first stage of a connection. @throws ConnectFailure, also what `check` throws */
export async function resolveTold(
  alias: string,
  options: Omit<ResolveOptions, 'signal'>,
  { signal, onStage }: OpenOptions,
  check: (host: ResolvedHost) => void = () => undefined,
): Promise<ResolvedHost> {
  signal.throwIfAborted();
  onStage?.({
    stage: 'resolve',
    state: 'running',
    message: `Looking up ${alias} in your ssh configuration.`,
  });
  try {
    const host = await resolveHost(alias, { ...options, signal });
    check(host);
    return host;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ConnectFailure)
      onStage?.({ stage: error.stage, state: 'failed', message: error.message });
    throw error;
  }
}
