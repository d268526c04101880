import { SessionError } from '../failures';

/**
 * What a session may inherit. The application's environment can hold keys of models and of the desktop
 * (SSH agent, tokens of package registries): only names on this list pass, never a list of what to leave out.
 */
const inherited = new Set([
  'HOME',
  'USER',
  'LOGNAME',
  'PATH',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'CUDA_HOME',
  'CUDA_VISIBLE_DEVICES',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NO_PROXY',
  'no_proxy',
]);
const proxies = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']);

/**
 * The environment of a new session on the computer the application runs on: a clean base from `application`, then `given`,
 * which wins. @throws SessionError invalid_command
 */
export function sessionEnvironment(
  session: string,
  application: Readonly<Record<string, string | undefined>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(application)) {
    if (value === undefined) continue;
    // A proxy's address may carry a password.
    const passes =
      inherited.has(name) || name.startsWith('LC_') || (proxies.has(name) && !value.includes('@'));
    if (passes) environment[name] = value;
  }
  // What `npm start` put in front of PATH is ours, not the user's.
  environment.PATH =
    environment.PATH?.split(':')
      .filter((part) => !part.endsWith('node_modules/.bin') && !part.endsWith('node-gyp-bin'))
      .join(':') || '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';
  if (environment.LANG === undefined && environment.LC_ALL === undefined) environment.LANG = 'C.UTF-8';
  return { ...environment, ...givenEnvironment(session, given) };
}

/** What a new session is given so that its shell runs these lines before its first prompt; `resources/sessions/session.bash` reads it. */
export function beginningWith(lines: readonly string[]): Record<string, string> {
  return lines.length === 0 ? {} : { __WM_BEGIN: lines.join('\n') };
}

/**
 * What a new session on another computer is sent: `given`, and the terminal's kind. The base is that computer's own, as its
 * login made it; nothing of this one's reaches it. @throws SessionError invalid_command
 */
export function givenEnvironment(
  session: string,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  for (const [name, value] of Object.entries(given)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.startsWith('WAYMARK_') || value.includes('\0')) {
      throw new SessionError(
        'invalid_command',
        session,
        `The environment variable "${name}" cannot be set: names are letters, digits and _ (not WAYMARK_…), values have no NUL.`,
      );
    }
  }
  return { ...given, TERM: 'xterm-256color' };
}
