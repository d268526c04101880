import type { ResolvedHost } from '../config/resolved-host';
import { changedKey, type KnownRecord } from '../login/changed-key';
import { nameInFile } from '../login/known-hosts';
import { ConnectFailure, type ConnectFailureReason, type ConnectStage } from '../transport';
import type { OpenSshLog } from './openssh-log';

interface Rule {
  pattern: RegExp;
  reason: ConnectFailureReason;
  stage: ConnectStage;
  next: string;
}

const reach = 'Check that it is switched on and that your network or VPN reaches it.';

/** What ssh says and what it means; the first that fits any of its lines counts. */
const rules: readonly Rule[] = [
  {
    pattern: /Could not resolve hostname|Name or service not known|nodename nor servname/,
    reason: 'resolve',
    stage: 'resolve',
    next: 'Check HostName in your ssh configuration, and that your network or VPN is up.',
  },
  {
    pattern:
      /Bad configuration option|terminating, \d+ bad|Bad owner or permissions|keyword .* extra arguments/i,
    reason: 'config',
    stage: 'resolve',
    next: 'Fix your ssh configuration.',
  },
  {
    pattern: /connect to (host|address) .*: Connection refused/,
    reason: 'tcp',
    stage: 'tcp',
    next: "Check Port in your ssh configuration, and that the host's ssh server runs.",
  },
  {
    pattern: /timed out during banner exchange|connect to .*timed out/i,
    reason: 'timeout',
    stage: 'tcp',
    next: reach,
  },
  {
    pattern: /^ssh: connect to /,
    reason: 'tcp',
    stage: 'tcp',
    next: 'Check that your network or VPN is up.',
  },
  {
    pattern: /stdio forwarding failed/,
    reason: 'tcp',
    stage: 'tcp',
    next: 'Check that the name is known at the host before it and that forwarding is allowed there.',
  },
  {
    pattern: /Unable to negotiate/,
    reason: 'algorithms',
    stage: 'host_key',
    next: 'Update the ssh server of the host, or allow the algorithm in your ssh configuration.',
  },
  {
    pattern: /kex_exchange_identification|banner line contains invalid|Invalid SSH identification/i,
    reason: 'tcp',
    stage: 'tcp',
    next: 'It does not answer as an ssh server: check HostName and Port; a server with too many connections also hangs up at once.',
  },
  {
    pattern: /Too many authentication failures/,
    reason: 'auth',
    stage: 'auth',
    next: 'When your agent holds many keys, name the right one with IdentityFile and set IdentitiesOnly yes.',
  },
  {
    pattern: /Permission denied|No more authentication methods|no authentication method/i,
    reason: 'auth',
    stage: 'auth',
    next: 'Check User and IdentityFile in your ssh configuration, and that the host knows your key or password.',
  },
  {
    pattern: /channel \d+: open failed|exec request failed|session open refused/i,
    reason: 'channel_refused',
    stage: 'shell',
    next: 'Its ssh server may forbid sessions (MaxSessions 0), or your key may be allowed for something else only: ask its administrator.',
  },
];

/**
 * Why ssh ended before the command ran.
 *
 * @param record what is on record instead of a key that changed
 * @param declined an unknown host key was not accepted
 */
export function explainExit(
  host: ResolvedHost,
  log: OpenSshLog,
  record: KnownRecord | null,
  code: number | null,
  stderr: string,
  declined: boolean,
): ConnectFailure {
  const words = [...log.words, ...stderr.split('\n').filter((line) => line.trim() !== '')];
  const detail = words.join('\n');
  const target = `${host.user}@${host.hostName}:${host.port}`;
  if (declined || words.some((line) => line.includes('Host key verification failed')))
    return unverified(host, log, record, declined, detail);
  for (const { pattern, reason, stage, next } of rules) {
    const line = words.find((one) => pattern.test(one));
    if (line === undefined) continue;
    const tried = log.tried.length > 0 ? ` Tried: ${[...new Set(log.tried)].join(', ')}.` : '';
    const taken = log.taking.length > 0 ? ` The host takes: ${log.taking.join(', ')}.` : '';
    const more = reason === 'auth' ? `${tried}${taken}` : '';
    return new ConnectFailure(
      reason,
      stage,
      `${target}: ${line.trim().replace(/\.?$/, '.')}${more} ${next}`,
      detail,
    );
  }
  const last = words.at(-1)?.trim();
  return new ConnectFailure(
    'lost',
    log.authenticatedBy !== undefined ? 'shell' : log.proven ? 'auth' : log.connected ? 'host_key' : 'tcp',
    `ssh to ${target} ended ${code === null ? 'by a signal' : `with exit code ${code}`} before it was through${last ? `: ${last}` : '.'} Try again.`,
    detail,
  );
}

function unverified(
  host: ResolvedHost,
  log: OpenSshLog,
  record: KnownRecord | null,
  declined: boolean,
  detail: string,
): ConnectFailure {
  const key = log.presented ? ` (${log.presented.type} ${log.presented.sha256})` : '';
  const name = `${host.hostName}, port ${host.port},`;
  if (log.revoked)
    return new ConnectFailure(
      'host_key_revoked',
      'host_key',
      `${name} shows a host key that is marked as revoked${key}. Nothing was sent. Ask the administrator of the host for its new key.`,
      detail,
    );
  if (log.changed) return changedKey(nameInFile(host), log.presented, record, detail);
  return new ConnectFailure(
    'host_key_unknown',
    'host_key',
    declined
      ? `The host key of ${name} is unknown and was not accepted${key}. Nothing was sent. Connect again once you know the fingerprint.`
      : `The host key of ${name} is not on record${key} and was not accepted. Add it to your known hosts, then try again.`,
    detail,
  );
}
