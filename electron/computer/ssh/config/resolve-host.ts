import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { hostAliasSchema } from '@shared/contract/computers';
import { ssh2Limits } from '../ssh2/ssh2-limits';
import { ConnectFailure, type OpenOptions } from '../transport';
import { type HostTarget, jumpLabel, parseJumps } from './jump-hosts';
import { type ResolvedHost, ResolvedSettings, shownSettings } from './resolved-host';
import { readConfig } from './ssh-config';
import { type RunSsh, type SshSetup, sshRunner } from './ssh-runner';

interface TokenFacts {
  /** As given on the command line (`%n`). */
  alias: string;
  hostName: string;
  port: number;
  user: string;
  hostKeyAlias: string | null;
  proxyJump: string;
}

/**
 * A path of ssh's configuration with `~`, `%` tokens and `${VARIABLES}` put in, as ssh_config(5) names them.
 * What is not defined stays as it is written: such a path is not found, and the message shows why.
 */
function expandPath(path: string, facts: TokenFacts, environment: NodeJS.ProcessEnv): string {
  const home = userInfo().homedir;
  const tilde = path === '~' ? home : path.startsWith('~/') ? join(home, path.slice(2)) : path;
  return expandTokens(tilde, facts).replace(
    /\$\{([^}]+)\}/g,
    (whole, name: string) => environment[name] ?? whole,
  );
}

/** `%` tokens put in; one we do not know stays. */
function expandTokens(text: string, facts: TokenFacts): string {
  return text.replace(/%([A-Za-z%])/g, (whole, token: string) => tokens[token]?.(facts) ?? whole);
}

const tokens: Record<string, (facts: TokenFacts) => string> = {
  '%': () => '%',
  d: () => userInfo().homedir,
  h: ({ hostName }) => hostName,
  i: () => String(userInfo().uid),
  j: ({ proxyJump }) => proxyJump,
  k: ({ hostKeyAlias, alias }) => hostKeyAlias ?? alias,
  L: () => hostname().replace(/\..*/, ''),
  l: () => hostname(),
  n: ({ alias }) => alias,
  p: ({ port }) => String(port),
  r: ({ user }) => user,
  u: () => userInfo().username,
  C: ({ hostName, port, user, proxyJump }) =>
    createHash('sha1').update(`${hostname()}${hostName}${port}${user}${proxyJump}`).digest('hex'),
};

export interface ResolveOptions extends SshSetup {
  run?: RunSsh | undefined;
  signal?: AbortSignal | undefined;
}

/** More jump hosts than this are a circle. */
const maxJumps = 16;

const everyAuthentication = 'gssapi-with-mic,hostbased,publickey,keyboard-interactive,password';

/**
 * How the user's configuration resolves an alias, by `ssh -G`, jump hosts included. Nothing is connected to; a
 * `Match exec` of the user's configuration runs.
 * @throws ConnectFailure config (the configuration or the alias is wrong), unsupported (no ssh program), timeout
 */
export async function resolveHost(alias: string, options: ResolveOptions = {}): Promise<ResolvedHost> {
  const valid = hostAliasSchema.safeParse(alias);
  if (!valid.success || /@-/.test(alias)) {
    const problem = valid.error?.issues[0]?.message ?? 'must not name a host that starts with a dash';
    throw new ConnectFailure('config', 'resolve', `"${alias}" cannot be a computer: it ${problem}.`);
  }
  return resolveTarget({ alias }, options, []);
}

async function resolveTarget(
  target: HostTarget,
  options: ResolveOptions,
  inner: readonly string[],
): Promise<ResolvedHost> {
  const label = jumpLabel(target);
  if (inner.includes(label) || inner.length > maxJumps) {
    throw new ConnectFailure(
      'config',
      'resolve',
      `The path to ${inner[0]} loops: ${[...inner, label].join(' through ')}. Fix ProxyJump in your ssh configuration.`,
    );
  }
  const raw = await askSsh(target, options);
  const hops = parseJumps(raw.get('proxyjump'), label);
  const via: ResolvedHost[] = [];
  for (const [index, hop] of hops.entries()) {
    // As ssh does it: only the outermost keeps what its own configuration says about the way to it.
    const host = await resolveTarget(hop, options, [...inner, label]);
    if (index === 0) via.push(...host.via);
    via.push({ ...host, via: [], ...(index === 0 ? {} : { proxyCommand: null }) });
  }
  return describe(target, raw, via, options);
}

async function askSsh(target: HostTarget, options: ResolveOptions): Promise<ResolvedSettings> {
  const run = options.run ?? sshRunner(options);
  const args = [
    ...(options.configFile === undefined ? [] : ['-F', options.configFile]),
    ...['-G', '-T'],
    ...(target.user === undefined ? [] : ['-l', target.user]),
    ...(target.port === undefined ? [] : ['-p', String(target.port)]),
    ...['--', target.alias],
  ];
  const { code, stdout, stderr } = await run(args, options.signal);
  const raw = new ResolvedSettings(stdout);
  if (code === 0 && raw.text('hostname') !== undefined && raw.text('user') !== undefined) return raw;
  const said = stderr
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('Pseudo-terminal'))
    .join(' ');
  throw new ConnectFailure(
    'config',
    'resolve',
    `ssh cannot make sense of "${jumpLabel(target)}": ${said || `ssh -G ended with ${code}`} ` +
      'Fix your ssh configuration, then try again.',
    stderr,
  );
}

async function describe(
  target: HostTarget,
  raw: ResolvedSettings,
  via: ResolvedHost[],
  options: ResolveOptions,
): Promise<ResolvedHost> {
  const environment = options.environment ?? process.env;
  const facts: TokenFacts = {
    alias: target.alias.replace(/^ssh:\/\//, '').replace(/^.*@/, ''),
    hostName: raw.text('hostname') ?? target.alias,
    port: raw.number('port', 22),
    user: raw.text('user') ?? '',
    hostKeyAlias: raw.get('hostkeyalias') ?? null,
    proxyJump: raw.get('proxyjump') ?? '',
  };
  const paths = (values: string[]) => values.map((value) => expandPath(value, facts, environment));
  const userKnownHostsFiles = paths(fileList(raw.get('userknownhostsfile')));
  const proxyCommand = raw.get('proxycommand');
  const identityFiles = paths(raw.all('identityfile'));
  const host: ResolvedHost = {
    target,
    via,
    raw,
    alias: jumpLabel(target),
    user: facts.user,
    hostName: facts.hostName,
    port: facts.port,
    jumps: via.map((hop) => hop.alias),
    proxyCommand: proxyCommand === undefined ? null : expandTokens(proxyCommand, facts),
    identityFiles,
    identitiesConfigured: raw.all('identityfile').some((file) => !/^~\/\.ssh\/id_\w+$/.test(file)),
    knownHostsFiles: [...userKnownHostsFiles, ...paths(fileList(raw.get('globalknownhostsfile')))],
    userKnownHostsFiles,
    hostKeyAlias: facts.hostKeyAlias,
    strictHostKeyChecking: raw.yes('stricthostkeychecking') ? 'yes' : 'ask',
    hashKnownHosts: raw.yes('hashknownhosts'),
    identitiesOnly: raw.yes('identitiesonly'),
    agentSocket: agentSocket(raw, facts, environment),
    certificateFiles: paths(raw.all('certificatefile')),
    authentications: authentications(raw),
    passwordPrompts: raw.number('numberofpasswordprompts', 3),
    connectTimeoutMs: raw.number('connecttimeout', 0) > 0 ? raw.number('connecttimeout', 0) * 1000 : null,
    addressFamily: raw.get('addressfamily') === 'inet' ? 4 : raw.get('addressfamily') === 'inet6' ? 6 : 0,
    bindAddress: raw.get('bindaddress') ?? null,
    settings: [],
    needsOpenSsh: [],
  };
  const lines = await readConfig(options);
  host.settings = shownSettings(host, lines);
  host.needsOpenSsh = [
    ...(await ssh2Limits(host, lines)),
    ...via.flatMap((hop) => hop.needsOpenSsh.map((need) => `${need} (for ${hop.alias}, on the way)`)),
  ];
  return host;
}

/** ssh prints the files with spaces between them; a name with a space in it is told by what exists. */
function fileList(value: string | undefined): string[] {
  if (value === undefined) return [];
  if (existsSync(value)) return [value];
  return value.split(/\s+/).filter((file) => file !== '' && file !== 'none' && file !== '/dev/null');
}

function agentSocket(
  raw: ResolvedSettings,
  facts: TokenFacts,
  environment: NodeJS.ProcessEnv,
): string | null {
  if (raw.has('identityagent') && raw.get('identityagent') === undefined) return null; // IdentityAgent none
  const set = raw.get('identityagent') ?? 'SSH_AUTH_SOCK';
  if (set === 'SSH_AUTH_SOCK') return environment.SSH_AUTH_SOCK || null;
  if (set.startsWith('$')) return environment[set.slice(1).replace(/[{}]/g, '')] || null;
  return expandPath(set, facts, environment);
}

function authentications(raw: ResolvedSettings): string[] {
  const off = new Set<string>();
  const value = raw.get('pubkeyauthentication');
  if (value === 'no' || value === 'false') off.add('publickey');
  if (raw.has('passwordauthentication') && !raw.yes('passwordauthentication')) off.add('password');
  if (raw.has('kbdinteractiveauthentication') && !raw.yes('kbdinteractiveauthentication'))
    off.add('keyboard-interactive');
  if (!raw.yes('gssapiauthentication')) off.add('gssapi-with-mic');
  if (!raw.yes('hostbasedauthentication')) off.add('hostbased');
  return (raw.get('preferredauthentications') ?? everyAuthentication)
    .split(',')
    .map((method) => method.trim())
    .filter((method) => method !== '' && !off.has(method));
}

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
