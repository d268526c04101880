import type { HostResolution } from './computers';

/** What ssh makes of an alias that nothing is said about, for tests. */
export function resolvedHost(alias: string): HostResolution {
  return {
    alias,
    user: 'test',
    hostName: alias,
    port: 22,
    jumps: [],
    proxyCommand: null,
    identityFiles: [],
    knownHostsFiles: [],
    settings: [],
    needsOpenSsh: [],
  };
}
