import { lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { homeBeside, liesBelow, namesOf, refuseMountsBelowWritable } from './mount-points';

/** A folder of this machine that a run's sandbox shows at its own path. */
export interface SharedFolder {
  path: string;
  write: boolean;
  /** Where it led, without links, when somebody named it; absent: wherever it leads. */
  source?: string | undefined;
}

/**
 * What a run's programs see of this machine, whether it is a shell, an action on files, a set-up command or an evaluator.
 * Everything else is not there: the person's home, other runs, the application's data, other processes, sockets.
 */
export interface SandboxView {
  /** The agent's work folder, at its own path; made if missing. */
  work: string;
  /** Stands for the person's home and keeps what programs put there; made if missing. */
  home: string;
  /**
   * Stands for `/tmp`, for all sessions of the run; made if missing. Not used where the work folder or a shared folder lies below
   * `/tmp` or `/var/tmp`: then each sandbox has a `/tmp` of its own, in memory, which ends with it.
   */
  temporary: string;
  folders: readonly SharedFolder[];
  /** False: no network at all, each session with a loopback of its own. */
  network: boolean;
}

/** Read-only, as they are. What is a link here is the same link there. */
export const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix'];

/** Of /etc: what programs need to find names, libraries, certificates, time zones and terminals. No file with a secret. */
const systemFiles = `
  passwd group nsswitch.conf hosts host.conf resolv.conf protocols services gai.conf ld.so.cache
  ld.so.conf ld.so.conf.d alternatives ssl/certs ssl/openssl.cnf ca-certificates
  pki/ca-trust pki/tls/certs pki/tls/cert.pem pki/tls/openssl.cnf crypto-policies localtime timezone
  locale.alias locale.conf default/locale os-release debian_version terminfo inputrc bash.bashrc
  profile mime.types magic fonts perl python3 java-openjdk gitconfig manpath.config OpenCL vulkan
  nvidia ld.so.preload
`
  .trim()
  .split(/\s+/)
  .map((name) => join('/etc', name));

/** What programs ask the kernel about processors and cards. */
const kernelFolders = ['/sys/devices', '/sys/bus', '/sys/class', '/sys/module'];

/** Cards that programs compute on. */
const devices = /^(?:nvidia.*|kfd|dri|dxg)$/;

/** Of the kernel's, written by root without a capability: settings, devices' registers, keys. All are shown read-only. */
const kernelSettings = ['bus', 'irq', 'fs', 'acpi', 'scsi', 'mtrr', 'sysrq-trigger'].map((name) =>
  join('/proc', name),
);

/** Where the session's own files stand inside. */
export const sessionPlace = '/run/waymark';

/**
 * The arguments of `bwrap` for that view, without the program to run: namespaces of its own for users, processes, IPC and host name,
 * no capabilities, no way to gain any, an empty root, which whoever adds the program closes with `--remount-ro /`. The environment is the caller's to choose.
 * Sessions outlive the driver on purpose, so nothing ends with its parent here.
 * @throws WaymarkError unsupported, when a folder of the view lies in another one that can be written inside
 */
export function sandboxArguments(view: SandboxView): string[] {
  for (const folder of [view.work, view.home, view.temporary])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  const args = [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    '--cap-drop',
    'ALL',
    ...(view.network ? [] : ['--unshare-net']),
    ...systemFolders.flatMap(shown),
    ...systemFiles.flatMap((path) => (there(path) ? ['--ro-bind', realpathSync(path), path] : [])),
    ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
    ...kernelSettings.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--dev', '/dev'],
    ...readdirSync('/dev').flatMap((name) => {
      const path = join('/dev', name);
      return devices.test(name) ? ['--dev-bind-try', path, path] : [];
    }),
    ...kernelFolders.flatMap((path) => ['--ro-bind-try', path, path]),
    ...temporaryFolders(view),
    ...['--dir', sessionPlace],
    ...['--bind', view.home, homeInside(view)],
    ...view.folders.flatMap(({ path, write, source }) => [
      write ? '--bind' : '--ro-bind',
      source ?? path,
      path,
    ]),
    ...['--bind', view.work, view.work],
  ];
  refuseMountsBelowWritable(args, [join(sessionPlace, 'nonce')]);
  return args;
}

/** What stands at its own path inside. */
function placesOf({ work, folders }: SandboxView): string[] {
  return [work, ...folders.map(({ path }) => path)].flatMap(namesOf);
}

/** Nothing is mounted below a folder that keeps what an agent put there, so not below the run's own `/tmp`. */
function temporaryFolders(view: SandboxView): string[] {
  const below = (folder: string) => placesOf(view).some((path) => liesBelow(path, folder));
  const fresh = (folder: string) => ['--perms', '1777', '--tmpfs', folder];
  return [
    ...(below('/tmp') || below('/var/tmp') ? fresh('/tmp') : ['--bind', view.temporary, '/tmp']),
    ...['--dir', '/var'],
    ...(below('/var/tmp') ? fresh('/var/tmp') : ['--symlink', '/tmp', '/var/tmp']),
  ];
}

/** Where programs find their home. */
export function homeInside(view: SandboxView): string {
  return homeBeside(placesOf(view), homedir());
}

function shown(path: string): string[] {
  const about = lstatSync(path, { throwIfNoEntry: false });
  if (about === undefined) return [];
  return about.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

function there(path: string): boolean {
  try {
    realpathSync(path);
    return true;
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ELOOP', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return false;
    throw error;
  }
}
