import { ConnectFailure } from '../transport';

/** Who is meant: an alias, or a jump host with what ProxyJump says about it. */
export interface HostTarget {
  alias: string;
  user?: string | undefined;
  port?: number | undefined;
}

/** How a person names a host on the way: as in ProxyJump. */
export function jumpLabel({ alias, user, port }: HostTarget): string {
  return `${user === undefined ? '' : `${user}@`}${alias}${port === undefined ? '' : `:${port}`}`;
}

/**
 * The hosts of a ProxyJump value, outermost first: `[user@]host[:port]` or `ssh://…`, separated by commas.
 * @throws ConnectFailure config
 */
export function parseJumps(value: string | undefined, label: string): HostTarget[] {
  if (value === undefined || value.toLowerCase() === 'none') return [];
  return value.split(',').map((part) => parseJump(part.trim(), label));
}

function parseJump(text: string, label: string): HostTarget {
  const match =
    /^(?:ssh:\/\/)?(?:(?<user>[^@\s]+)@)?(?:\[(?<v6>[0-9a-fA-F:.%\w]+)\]|(?<name>[^:@\s[\]/]+))(?::(?<port>\d{1,5}))?\/?$/.exec(
      text,
    );
  const alias = match?.groups?.v6 ?? match?.groups?.name;
  const user = match?.groups?.user;
  const port = match?.groups?.port;
  if (alias === undefined || alias.startsWith('-') || user?.startsWith('-')) {
    throw new ConnectFailure(
      'config',
      'resolve',
      `ProxyJump of ${label} names "${text}", which is not a host. Fix it in your ssh configuration.`,
    );
  }
  return {
    alias,
    ...(user === undefined ? {} : { user }),
    ...(port === undefined ? {} : { port: Number(port) }),
  };
}
