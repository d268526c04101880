import type { HostResolution, ResolvedSetting } from '@shared/contract/computers';
import type { ResolvedHost } from './resolve-host';
import type { ConfigLine } from './ssh-config';
import { type Facts, originOf } from './ssh-config-origin';

/** Settings worth showing, in reading order: as in ssh_config(5). */
const shown = [
  'HostName',
  'User',
  'Port',
  'ProxyJump',
  'ProxyCommand',
  'HostKeyAlias',
  'IdentityFile',
  'CertificateFile',
  'IdentitiesOnly',
  'IdentityAgent',
  'PreferredAuthentications',
  'StrictHostKeyChecking',
  'UserKnownHostsFile',
  'GlobalKnownHostsFile',
  'KexAlgorithms',
  'HostKeyAlgorithms',
  'Ciphers',
  'MACs',
] as const;

/** Long lists that only matter when somebody chose them. */
const onlyIfConfigured = new Set(['KexAlgorithms', 'HostKeyAlgorithms', 'Ciphers', 'MACs']);

/** What the configuration decided about a host and from which line. */
export function shownSettings(host: ResolvedHost, lines: readonly ConfigLine[]): ResolvedSetting[] {
  const facts: Facts = {
    alias: host.target.alias.replace(/^.*@/, ''),
    hostName: host.hostName,
    user: host.user,
  };
  const settings: ResolvedSetting[] = [];
  for (const name of shown) {
    const keyword = name.toLowerCase();
    for (const value of host.raw.all(keyword)) {
      const several = keyword === 'identityfile' || keyword === 'certificatefile';
      const from = originOf(lines, keyword, facts, (args) => agree(args, value, keyword, facts), several);
      if (from === null && onlyIfConfigured.has(name)) continue;
      settings.push({ name, value: sayWhatHolds(keyword, value), from });
    }
  }
  return settings;
}

function sayWhatHolds(keyword: string, value: string): string {
  if (keyword !== 'stricthostkeychecking') return value;
  if (value === 'yes' || value === 'true') return 'yes';
  if (value === 'ask') return 'ask';
  return `ask (configured: ${value === 'false' ? 'no' : value}; here a person always decides about an unknown key)`;
}

function agree(args: readonly string[], value: string, keyword: string, facts: Facts): boolean {
  if (onlyIfConfigured.has(shown.find((name) => name.toLowerCase() === keyword) ?? '')) return true; // + - ^ build on defaults
  const written = args.join(' ');
  return (
    plain(written) === plain(value) ||
    (keyword === 'hostname' && plain(written.replaceAll('%h', facts.alias)) === plain(value)) ||
    (keyword === 'userknownhostsfile' && value.endsWith(written.replace(/^~/, '')))
  );
}

function plain(value: string): string {
  const lower = value.toLowerCase();
  if (lower === 'yes') return 'true';
  if (lower === 'no' || lower === 'off') return 'false';
  return lower;
}

/** What the window and the command line may know of a resolved host, and nothing else. */
export function resolutionOf(host: ResolvedHost): HostResolution {
  const { alias, user, hostName, port, jumps, proxyCommand, identityFiles, knownHostsFiles } = host;
  const { settings, needsOpenSsh } = host;
  return {
    ...{ alias, user, hostName, port, jumps, proxyCommand, identityFiles, knownHostsFiles },
    ...{ settings, needsOpenSsh },
  };
}
