import { createHash } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';

export interface TokenFacts {
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
export function expandPath(path: string, facts: TokenFacts, environment: NodeJS.ProcessEnv): string {
  const home = userInfo().homedir;
  const tilde = path === '~' ? home : path.startsWith('~/') ? join(home, path.slice(2)) : path;
  return expandTokens(tilde, facts).replace(
    /\$\{([^}]+)\}/g,
    (whole, name: string) => environment[name] ?? whole,
  );
}

/** `%` tokens put in; one we do not know stays. */
export function expandTokens(text: string, facts: TokenFacts): string {
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
