import { spawnSync } from 'node:child_process';

const up = 'PATH="$PATH:/usr/sbin:/sbin"; ip link set lo up && exec "$@"';

/**
 * The command that runs what follows it in a network of its own that has nothing but the loopback interface.
 *
 * @returns {{ within: string[] } | { missing: string }} `missing`: why there can be none here
 */
export function loopbackOnly() {
  if (process.platform !== 'linux') return { missing: 'networks of one process need Linux' };
  const uid = process.getuid();
  const gid = process.getgid();
  const within =
    uid === 0
      ? ['unshare', '--net', '--', 'sh', '-c', up, 'sh']
      : [
          ...['unshare', '--user', '--map-root-user', '--net', '--', 'sh', '-c', up, 'sh'],
          // Back to who we are: the application refuses to run as root.
          ...['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'],
        ];
  const [program, ...args] = within;
  const tried = spawnSync(program, [...args, 'true'], { encoding: 'utf8' });
  if (tried.status === 0) return { within };
  const said = (tried.stderr ?? tried.error?.message ?? '').trim();
  return { missing: `a network of its own cannot be had here: ${said} (Debian: util-linux, iproute2)` };
}
