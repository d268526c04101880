import type { HelloFacts } from '../agent/hello';

/** Below this the host's disk is nearly full, bytes. */
export const scarceBytes = 1024 ** 3;

const networkFileSystems =
  /^(nfs|cifs|smb|fuse\.(sshfs|glusterfs|s3fs|gcsfuse|rclone|juicefs|ceph)|lustre|gpfs|beegfs|ceph|9p|afs|glusterfs|pvfs2|orangefs|panfs|wekafs|ncpfs|davfs)/;

/** Whether files there are kept by another machine, by the name the kernel gives the file system. */
export function isNetworkFileSystem(name: string): boolean {
  return networkFileSystems.test(name.toLowerCase());
}

/** Whether a directory for sessions is the second choice: the home directory cannot hold them. */
export function isSpare(base: string): boolean {
  return base.startsWith('/var/tmp/');
}

/** What a host lacks or does that a person should know: full sentences, the gravest first. */
export function hostLimits(facts: HelloFacts): string[] {
  return [
    ...shellLimits(facts),
    ...lifeLimits(facts),
    ...placeLimits(facts),
    ...helperLimits(facts),
    ...(facts.platform === 'darwin'
      ? ['This computer runs macOS. Waymark was tested on Linux hosts only; expect rough edges.']
      : []),
  ];
}

function shellLimits({ bash, bashVersion }: HelloFacts): string[] {
  if (bash === '') {
    return ['There is no bash, and sessions need it: none can be started. Install bash there.'];
  }
  const [major = 0, minor = 0] = bashVersion.split('.').map((part) => Number.parseInt(part, 10) || 0);
  if (bashVersion === '' || major > 4 || (major === 4 && minor >= 4)) return [];
  return [
    `Its bash is ${bashVersion}, older than 4.4: the moment a command begins is known a little less exactly.`,
  ];
}

function lifeLimits({ killUserProcesses, linger, user }: HelloFacts): string[] {
  if (killUserProcesses !== true || linger === true) return [];
  const ends =
    linger === false
      ? 'Sessions end when your last login there ends'
      : 'Sessions may end when your last login there ends';
  return [
    `${ends}, because the host ends all processes of a user who logs out (KillUserProcesses). ` +
      `Ask for "loginctl enable-linger ${user}" there, or keep the link up.`,
  ];
}

function placeLimits(facts: HelloFacts): string[] {
  const { base, baseFileSystem, baseWhy, freeBytes, totalBytes, punch } = facts;
  const limits: string[] = [];
  if (base === '') return [`There is no place for sessions: ${baseWhy}`];
  if (isNetworkFileSystem(baseFileSystem)) {
    limits.push(
      `Sessions are kept in ${base}, on a network file system (${baseFileSystem}): ` +
        'when its server is away, their output waits, and another computer must not use the same folder.',
    );
  } else if (isSpare(base)) {
    limits.push(`Sessions are not kept in the home directory but in ${base}: ${baseWhy}`);
  }
  if (totalBytes > 0 && freeBytes < scarceBytes) {
    limits.push(
      `Only ${bytesText(freeBytes)} are free where sessions are kept (${base}). ` +
        'When the disk is full, programs are held up until there is space. Make room there.',
    );
  }
  if (!punch) {
    limits.push(
      `The file system of ${base} cannot free parts of a file: output that is stored here is not dropped there ` +
        'before its session is closed.',
    );
  }
  return limits;
}

function helperLimits({ helper, helperLacks, notify }: HelloFacts): string[] {
  const limits: string[] = [];
  if (helper === 'python3') {
    limits.push('No usable perl was found, so sessions run under python3 instead.');
  }
  if (helperLacks.includes('Digest::SHA')) {
    limits.push(
      'Its perl has no Digest::SHA: each file is hashed by a program of its own, which takes longer for many.',
    );
  }
  if (!notify) {
    limits.push(
      'Its kernel does not report file changes (no inotify): output is checked at intervals, ' +
        'so it arrives a little later and costs some processor time.',
    );
  }
  return limits;
}

/** `12.3 GB`, in powers of 1024. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'];
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
