import { describe, expect, it } from 'vitest';
import { plainHello } from '../../testing/scripted-host';
import { parseHello } from '../agent/hello';
import { bytesText, hostLimits, isNetworkFileSystem } from './host-limits';

const limitsOf = (changes: Record<string, string>) =>
  hostLimits(
    parseHello(Object.entries({ ...plainHello, ...changes }).map(([name, value]) => `${name}=${value}`)),
  );

describe('limits of a host', () => {
  it('are none on one that has everything', () => {
    expect(limitsOf({})).toEqual([]);
  });

  it.each([
    ['no bash', { bash: '', bash_version: '' }, 'There is no bash'],
    ['old bash', { bash_version: '4.2.46(2)-release' }, 'Its bash is 4.2.46(2)-release, older than 4.4'],
    ['older bash', { bash_version: '3.2.57(1)-release' }, 'Its bash is 3.2.57(1)-release, older than 4.4'],
    ['no perl', { helper: 'python3', helper_lacks: 'perl' }, 'sessions run under python3 instead'],
    ['no hashes', { helper_lacks: 'python3 Digest::SHA' }, 'no Digest::SHA'],
    ['no inotify', { notify: '0' }, 'no inotify'],
    ['no hole punching', { punch: '0' }, 'is not dropped there before its session is closed'],
    ['logout ends all', { kill_user_processes: 'yes', linger: 'no' }, 'Sessions end when your last login'],
    [
      'logout may end all',
      { kill_user_processes: 'yes', linger: '' },
      'Sessions may end when your last login',
    ],
    ['linger command', { kill_user_processes: 'yes', linger: 'no' }, 'loginctl enable-linger ada'],
    [
      'network home',
      { base: '/var/tmp/waymark-1000', base_why: 'home is on nfs; this is used.' },
      'home is on nfs',
    ],
    ['network everywhere', { base_fs: 'nfs4' }, 'on a network file system (nfs4)'],
    [
      'nowhere',
      { base: '', base_why: 'nothing can be written.' },
      'There is no place for sessions: nothing can',
    ],
    ['little space', { free: String(200 * 1024 ** 2) }, 'Only 200 MB are free'],
    ['macOS', { platform: 'darwin' }, 'runs macOS'],
  ])('%s', (_name, changes: Record<string, string>, part) => {
    const limits = limitsOf(changes);
    expect(limits).toHaveLength(1);
    expect(limits[0]).toContain(part);
    expect(limits[0]).toMatch(/^[A-Z].*\.$/);
  });

  it.each([
    { bash_version: '4.4.0(1)-release' },
    { bash_version: '5.3' },
    { helper_lacks: 'python3' },
    { kill_user_processes: 'yes', linger: 'yes' },
    { kill_user_processes: '', linger: 'no' },
    { free: '0', total: '0' },
  ])('%j is none', (changes) => {
    expect(limitsOf(changes)).toEqual([]);
  });

  it('knows network file systems by name', () => {
    for (const name of ['nfs', 'nfs4', 'cifs', 'smb3', 'lustre', 'gpfs', 'fuse.sshfs', '9p', 'CEPH']) {
      expect(isNetworkFileSystem(name), name).toBe(true);
    }
    for (const name of ['ext4', 'xfs', 'btrfs', 'zfs', 'tmpfs', 'overlay', 'fuseblk', '']) {
      expect(isNetworkFileSystem(name), name).toBe(false);
    }
  });

  it('writes sizes for people', () => {
    expect([0, 1023, 1024, 1536, 200 * 1024 ** 2, 1.75 * 1024 ** 4].map(bytesText)).toEqual([
      '0 bytes',
      '1023 bytes',
      '1.0 KB',
      '1.5 KB',
      '200 MB',
      '1.8 TB',
    ]);
  });
});
