import { ConnectFailure, type ConnectStage } from '../transport';
import type { HopContext } from './ssh2-hop';

type Stage = 'host_key' | 'auth' | 'in';

/** What an error of ssh2 means for a person: which stage, why, what to do. */
export function explain(
  hop: HopContext,
  stage: Stage,
  error: Error & { level?: string; code?: unknown },
  words: string,
  banner: string,
): ConnectFailure {
  const { message, level } = error;
  const at: ConnectStage = stage === 'host_key' ? 'host_key' : 'auth';
  const place = `${hop.host.hostName}, port ${hop.host.port}`;
  const detail = [message, words, banner].filter((text) => text !== '').join('\n');
  if (/^Handshake failed: no matching|No matching/i.test(message)) {
    return new ConnectFailure(
      'algorithms',
      'host_key',
      `${place}, and the built-in client have no algorithm in common (${message.replace(/^Handshake failed: /, '')}); ` +
        "weak old ones are not used. Choose the system's OpenSSH client for this computer, or update the host's ssh server.",
      detail,
    );
  }
  if (
    message.includes('before handshake') ||
    /^(Invalid (header|identification)|Header line|Max greeting|Incompatible)/.test(message)
  )
    return notSsh(place, detail, words);
  if (message === 'Too many authentication failures' || error.code === 2) {
    return new ConnectFailure(
      'auth',
      at,
      `${hop.target} ended the login: ${message}. When your agent holds many keys, name the right one with IdentityFile ` +
        'and set IdentitiesOnly yes.',
      detail,
    );
  }
  if (level === 'client-socket') {
    return new ConnectFailure(
      'lost',
      at,
      `The connection to ${place}, broke: ${message}. Try again.`,
      detail,
    );
  }
  return new ConnectFailure(
    stage === 'auth' ? 'auth' : 'lost',
    at,
    `The connection to ${place}, failed ${stage === 'auth' ? 'while logging in' : 'while keys were exchanged'}: ${message}.`,
    detail,
  );
}

/** The connection closed without a word. */
export function explainEnd(hop: HopContext, stage: Stage, words: string, banner: string): ConnectFailure {
  const place = `${hop.host.hostName}, port ${hop.host.port}`;
  const detail = [words, banner].filter((text) => text !== '').join('\n');
  if (stage === 'host_key')
    return new ConnectFailure(
      'lost',
      'host_key',
      `${place}, closed the connection while keys were exchanged.${said(words)} Try again; if it keeps happening, check the ssh server of the host.`,
      detail,
    );
  return new ConnectFailure(
    'lost',
    'auth',
    `${hop.target} closed the connection while logging in.${said(banner)} It may have waited too long for an answer: try again.`,
    detail,
  );
}

function notSsh(place: string, detail: string, words: string): ConnectFailure {
  return new ConnectFailure(
    'tcp',
    'tcp',
    `${place}, does not answer as an ssh server.${said(words)} Check HostName and Port in your ssh configuration; a server with too many connections also hangs up at once.`,
    detail,
  );
}

function said(words: string): string {
  const last = words.trim().split('\n').at(-1) ?? '';
  return last === '' ? '' : ` It said: ${last}`;
}
