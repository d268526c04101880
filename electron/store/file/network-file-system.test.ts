import { expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/store-fixtures';
import { networkFuse, refuseNetworkFileSystem } from './network-file-system';

const MOUNTS = `22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:30 / /home/ann/remote rw - fuse.sshfs host:/data rw
31 22 0:31 / /home/ann/my\\040disk rw - fuseblk /dev/sdb1 rw`;

test('a folder behind sshfs is on the network, a local FUSE disk is not', () => {
  expect(networkFuse('/home/ann/remote/work', MOUNTS)).toBe('fuse.sshfs');
  expect(networkFuse('/home/ann/remoter', MOUNTS)).toBeUndefined();
  expect(networkFuse('/home/ann/my disk/work', MOUNTS)).toBeUndefined();
});

test('a local folder is accepted', () => {
  expect(() => refuseNetworkFileSystem(temporaryFolder())).not.toThrow();
});
