import { join } from 'node:path';
import { shellQuote } from '../../../base/shell-quote';
import type { ResolvedHost } from '../config/resolved-host';
import type { SshSetup } from '../config/ssh-runner';

/** Used where the configuration sets none, seconds. */
const connectTimeoutSeconds = 15;

/**
 * How the system's ssh is called for a host and those on the way. What must hold is said on the command line, where it
 * wins over the configuration; for jump hosts as well, which is why they are commands of our own and not `-J`.
 *
 * @param logFolder every ssh writes its log there, as `hop-<number>.log`
 * @returns arguments for ssh itself; no shell reads them
 */
export function sshArguments(
  host: ResolvedHost,
  command: string,
  setup: SshSetup,
  logFolder: string,
): string[] {
  const hops = [...host.via, host];
  let way: string | undefined;
  for (const [index, hop] of host.via.entries()) {
    const next = hops[index + 1] ?? host;
    const to = `[${next.hostName}]:${next.port}`;
    const args = [...options(hop, setup, join(logFolder, logName(index)), way), '-W', to, ...who(hop)];
    const words = ['env', `WAYMARK_ASKPASS_HOP=${index}`, setup.program ?? 'ssh', ...args];
    way = words.map(quoted).join(' ');
  }
  const log = join(logFolder, logName(host.via.length));
  return [...options(host, setup, log, way), '-T', ...who(host), command];
}

/** Name of the log of a hop. */
export function logName(index: number): string {
  return `hop-${index}.log`;
}

function who({ target: { user, port, alias } }: ResolvedHost): string[] {
  return [
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...['--', alias],
  ];
}

function options(host: ResolvedHost, setup: SshSetup, log: string, way: string | undefined): string[] {
  const { raw } = host;
  const settings: Record<string, string | number | undefined> = {
    // At this level it says when the host has taken the command.
    LogLevel: 'DEBUG2',
    BatchMode: 'no',
    StrictHostKeyChecking: host.strictHostKeyChecking,
    NoHostAuthenticationForLocalhost: 'no',
    VerifyHostKeyDNS: raw.yes('verifyhostkeydns') ? 'ask' : undefined,
    UpdateHostKeys: raw.get('updatehostkeys') === 'ask' ? 'no' : undefined,
    ServerAliveInterval: 5,
    ServerAliveCountMax: 2,
    ConnectTimeout: host.connectTimeoutMs === null ? connectTimeoutSeconds : undefined,
    ForwardAgent: 'no',
    ForwardX11: 'no',
    ClearAllForwardings: 'yes',
    Tunnel: 'no',
    PermitLocalCommand: 'no',
    RemoteCommand: 'none',
    ControlMaster: 'no',
    ControlPath: 'none',
    ControlPersist: 'no',
    VisualHostKey: 'no',
    // Not every version knows these, and one that does not refuses to start.
    SessionType: raw.has('sessiontype') ? 'default' : undefined,
    StdinNull: raw.has('stdinnull') ? 'no' : undefined,
    ForkAfterAuthentication: raw.has('forkafterauthentication') ? 'no' : undefined,
    ProxyCommand: way?.replaceAll('%', '%%'),
  };
  return [
    ...(setup.configFile === undefined ? [] : ['-F', setup.configFile]),
    ...['-E', log],
    ...Object.entries(settings).flatMap(([name, value]) =>
      value === undefined ? [] : ['-o', `${name}=${value}`],
    ),
  ];
}

/** For every shell that ssh may run it with: sh, bash, zsh, fish, csh. */
function quoted(word: string): string {
  return /^[\w@%+=:,./[\]-]+$/.test(word) && !word.includes('[') ? word : shellQuote(word);
}
