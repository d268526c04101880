import type { LinkHealth } from './computers';

/** Of a host that nobody has needed yet. */
export function idleHealth(alias: string): LinkHealth {
  return {
    alias,
    state: 'idle',
    lastByteAt: null,
    roundTripMs: null,
    since: 0,
    retryAt: null,
    tries: 0,
    message: '',
  };
}
