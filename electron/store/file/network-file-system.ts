import { readFileSync, statfsSync } from 'node:fs';
import { resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';

/** File systems by the magic number of Linux' statfs that share files between machines and cannot keep SQLite's locks. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB2'],
  [0xff534d42, 'CIFS'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
]);

const FUSE = 0x65735546;

/** Programs behind FUSE that reach over a network. */
const NETWORK_FUSE = /^fuse\.(sshfs|rclone|s3fs|gcsfuse|glusterfs|ceph-fuse|smbnetfs|davfs)/;

/**
 * Throws `workspace_network_fs` when the folder lies on a network file system, where locks and WAL cannot be
 * relied on. 9p stays allowed: development machines use it for local folders.
 */
export function refuseNetworkFileSystem(folder: string): void {
  if (process.platform !== 'linux') {
    return;
  }
  const type = Number(statfsSync(folder).type) >>> 0;
  const name =
    NETWORK.get(type) ??
    (type === FUSE ? networkFuse(folder, readFileSync('/proc/self/mountinfo', 'utf8')) : undefined);
  if (name !== undefined) {
    throw new WaymarkError(
      'workspace_network_fs',
      `The folder ${folder} is on a network file system (${name}), which can lose data. Choose a folder on a local disk.`,
    );
  }
}

/** The FUSE type that the folder is mounted with when it reaches over a network; `mountinfo` as Linux writes it. */
export function networkFuse(folder: string, mountinfo: string): string | undefined {
  const path = resolve(folder);
  let best = { length: -1, type: '' };
  for (const line of mountinfo.split('\n')) {
    const [mount, source] = line.split(' - ');
    const point = mount?.split(' ')[4]?.replace(/\\040/g, ' ');
    const type = source?.split(' ')[0] ?? '';
    const holds =
      point !== undefined && (path === point || path.startsWith(point === '/' ? '/' : `${point}/`));
    if (holds && point.length >= best.length) {
      best = { length: point.length, type };
    }
  }
  return NETWORK_FUSE.test(best.type) ? best.type : undefined;
}
