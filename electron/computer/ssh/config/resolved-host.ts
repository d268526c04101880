import type { HostResolution, ResolvedSetting } from '@shared/contract/computers';
import type { HostTarget } from './jump-hosts';
import { type ConfigLine, type Facts, originOf } from './ssh-config';

/** What `ssh -G` printed: every setting with its values in order. */
export class ResolvedSettings {
  private readonly values = new Map<string, string[]>();

  constructor(output: string) {
    for (const line of output.split('\n')) {
      const space = line.indexOf(' ');
      if (space <= 0) continue;
      const name = line.slice(0, space).toLowerCase();
      const value = line.slice(space + 1).trim();
      const known = this.values.get(name);
      if (known) known.push(value);
      else this.values.set(name, [value]);
    }
  }

  /** The setting is one this version of ssh knows and prints. */
  has(name: string): boolean {
    return this.values.has(name);
  }

  /** First value as it is, also where it reads `none`. */
  text(name: string): string | undefined {
    return this.values.get(name)?.[0];
  }

  /** First value; undefined when ssh printed none, or `none`. */
  get(name: string): string | undefined {
    const value = this.values.get(name)?.[0];
    return value === '' || value === 'none' ? undefined : value;
  }

  all(name: string): string[] {
    return (this.values.get(name) ?? []).filter((value) => value !== 'none');
  }

  list(name: string): string[] {
    return this.get(name)?.split(',') ?? [];
  }

  /** ssh prints yes and true for the same, by setting and version. */
  yes(name: string): boolean {
    const value = this.get(name);
    return value === 'yes' || value === 'true';
  }

  number(name: string, otherwise: number): number {
    const value = Number(this.get(name) ?? Number.NaN);
    return Number.isFinite(value) ? value : otherwise;
  }
}

/** A host as the user's configuration describes it, with all that a transport needs to know. */
export interface ResolvedHost extends HostResolution {
  target: HostTarget;
  /** Jump hosts on the way, outermost first; each is resolved by itself and has none of its own left. */
  via: ResolvedHost[];
  /** Everything `ssh -G` said. */
  raw: ResolvedSettings;
  hostKeyAlias: string | null;
  /** The files of `knownHostsFiles` that are the user's own; a new key goes to the first. */
  userKnownHostsFiles: string[];
  /** `yes`: an unknown key is refused without asking. Whatever weaker the configuration says, a person is asked. */
  strictHostKeyChecking: 'ask' | 'yes';
  hashKnownHosts: boolean;
  /** The configuration names key files, rather than leaving it to ssh's usual ones. */
  identitiesConfigured: boolean;
  identitiesOnly: boolean;
  /** Socket of the agent; null when there is none to ask. */
  agentSocket: string | null;
  certificateFiles: string[];
  /** Methods in the order they are tried; those switched off are left out. */
  authentications: string[];
  passwordPrompts: number;
  connectTimeoutMs: number | null;
  addressFamily: 0 | 4 | 6;
  bindAddress: string | null;
}

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
    alias,
    user,
    hostName,
    port,
    jumps,
    proxyCommand,
    identityFiles,
    knownHostsFiles,
    settings,
    needsOpenSsh,
  };
}
