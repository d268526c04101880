import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { eventually } from '../deadline';
import {
  type HostFolder,
  type HostUser,
  insideFolder,
  makeHostFolder,
  makeHostKeys,
  type SshdOptions,
  uidOf,
  writeSshdConfig,
} from './host-files';
import { HostNetwork } from './host-network';
import { end, firstLine, freePort, processesBeside } from './host-processes';
import type { KeyKind, TestKey } from './keys';
import { run, sweepStale } from './namespaces';

export interface SshHostOptions extends SshdOptions {
  /** Default: one, `tester`, with a password (`testerPassword`) and bash. */
  users?: readonly HostUser[];
  /** Size of the file system that holds `/home`, bytes. Default 64 MB. */
  homeBytes?: number;
  /** Programs that the host shall not have, absolute paths: `/usr/bin/perl`. */
  without?: readonly string[];
  /** A port of its own network; 22 when absent. */
  port?: number;
  /** Folders of this machine that can be read there as well, wherever they lie; /tmp and the homes are the host's own else. */
  also?: readonly string[];
}

export const testerPassword = 'correct horse';

let swept: Promise<void> | undefined;

/**
 * A real sshd as a host of its own: process ids, mounts (home, /tmp, accounts) and boot id are its own, and with
 * `startSshHost` its network. Everything goes when this process ends, however it ends.
 */
export class SshHost {
  private anchor: ChildProcess | undefined;
  private machine: ChildProcess | undefined;
  private closed = false;

  private constructor(
    private readonly options: SshHostOptions,
    readonly folder: HostFolder,
    readonly users: readonly HostUser[],
    readonly network: HostNetwork | undefined,
    readonly address: string,
    readonly port: number,
  ) {}

  static async start(options: SshHostOptions, ownNetwork: boolean): Promise<SshHost> {
    swept ??= sweepStale();
    await swept;
    const users = options.users ?? [{ name: 'tester', password: testerPassword }];
    const folder = await makeHostFolder(users, options);
    const network = ownNetwork ? await HostNetwork.make(basename(folder.path)) : undefined;
    const port = network ? (options.port ?? 22) : await freePort();
    const host = new SshHost(options, folder, users, network, network?.address ?? '127.0.0.1', port);
    try {
      await host.mounts();
      await host.boot();
    } catch (error) {
      await host.stop();
      throw error;
    }
    return host;
  }

  /** First user's name. */
  get user(): string {
    return this.users[0]?.name ?? 'root';
  }

  /** First user's home, as the host sees it. */
  get home(): string {
    return `/home/${this.user}`;
  }

  /** Public part of one of its keys. */
  hostKey(kind: KeyKind = 'ed25519'): TestKey {
    const key = this.folder.hostKeys.find(({ file }) => file.endsWith(`_${kind}`));
    if (!key) throw new Error(`This host has no ${kind} key.`);
    return key;
  }

  /** What sshd wrote, at DEBUG1. */
  log(): Promise<string> {
    return readFile(join(this.folder.path, 'sshd.log'), 'utf8');
  }

  /** Runs a script on the host, outside ssh, and gives its standard output. As the first user unless told. */
  shell(script: string, user = this.user): Promise<string> {
    const index = this.users.findIndex(({ name }) => name === user);
    const identity =
      index < 0 ? [] : ['--reuid', String(uidOf(index)), '--regid', String(uidOf(index)), '--clear-groups'];
    const home = index < 0 ? '/root' : `/home/${user}`;
    return run('nsenter', [
      ...this.enter(),
      ...['setpriv', ...identity, 'env', '-i', `HOME=${home}`, `USER=${user}`],
      ...['PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin', 'bash', '-c', `cd "$HOME" && ${script}`],
    ]);
  }

  /** Stops every process of the host where it is; connections stay open and nothing answers. */
  freeze(): void {
    for (const pid of this.processes()) signal(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.processes()) signal(pid, 'SIGCONT');
  }

  /** Other host keys from now on; sessions go on. */
  async changeHostKeys(kinds: readonly KeyKind[] = ['ed25519', 'ecdsa', 'rsa']): Promise<void> {
    this.folder.hostKeys = await makeHostKeys(this.folder.path, kinds);
    await this.stopSshd();
    await this.startSshd();
  }

  /** Other lines of sshd_config from now on; sessions and connections go on. */
  async reconfigure(options: SshdOptions): Promise<void> {
    Object.assign(this.options, options);
    if (options.authorizedKeys)
      await writeFile(join(this.folder.path, 'authorized_keys'), `${options.authorizedKeys.join('\n')}\n`);
    await this.stopSshd();
    await this.startSshd();
  }

  /** Nobody listens any more; sessions and connections go on. */
  async stopSshd(): Promise<void> {
    await this.shell(`kill "$(cat ${insideFolder}/sshd.pid)"; rm -f ${insideFolder}/sshd.pid`, 'root');
  }

  async startSshd(): Promise<void> {
    const { folder, address, port, options } = this;
    await writeSshdConfig(folder, address, port, options);
    const before = await this.log().catch(() => '');
    await run('nsenter', [
      ...this.enter(),
      ...['/usr/sbin/sshd', '-f', `${insideFolder}/sshd_config`, '-E', `${insideFolder}/sshd.log`],
    ]);
    await eventually('sshd listens', async () =>
      (await this.log()).slice(before.length).includes('Server listening on'),
    );
  }

  /** Every process dies at once; then the host is up again with another boot id. /tmp and /run are empty, homes stay. */
  async reboot(): Promise<void> {
    await this.shutDown();
    await writeFile(join(this.folder.path, 'boot_id'), `${randomUUID()}\n`);
    await run('nsenter', [
      ...['--target', String(this.anchor?.pid), '--mount', '--'],
      ...['bash', '-c', 'rm -rf /tmp/* /tmp/.[!.]* /run/[!s]* /dev/shm/*'],
    ]);
    await this.boot();
  }

  /** Ends the host and removes what was made for it. */
  async stop(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.shutDown();
    await end(this.anchor);
    await this.network?.remove();
    await rm(this.folder.path, { recursive: true, force: true });
  }

  private async shutDown(): Promise<void> {
    await end(this.machine);
    this.machine = undefined;
  }

  /** Mounts outlive a reboot: they belong to a process that does nothing else. */
  private async mounts(): Promise<void> {
    const { folder, options, users } = this;
    const also = options.also ?? [];
    const script = `set -e
mount --bind '${folder.path}' ${insideFolder}
${also.map((path, index) => `mkdir -p ${insideFolder}/also/${index}; mount --bind '${path}' ${insideFolder}/also/${index}`).join('\n')}
for place in /tmp /var/tmp /run /root /dev/shm; do mount -t tmpfs -o mode=755 tmpfs $place; done
chmod 1777 /tmp /var/tmp /dev/shm; mkdir -p /run/sshd
mount -t tmpfs -o mode=755,size=${options.homeBytes ?? 64 << 20} tmpfs /home
cp /usr/bin/perl ${insideFolder}/init # process 1, also where perl is hidden
for file in passwd group shadow; do mount --bind ${insideFolder}/$file /etc/$file; done
${users.map(({ name }, index) => `mkdir -m 700 /home/${name}; chown ${uidOf(index)}:${uidOf(index)} /home/${name}`).join('\n')}
${also.map((path, index) => `mkdir -p '${path}'; mount --bind ${insideFolder}/also/${index} '${path}'; mount -o remount,bind,ro '${path}'`).join('\n')}
${(options.without ?? []).map((path) => `mount --bind /dev/null '${path}'`).join('\n')}
echo ready; exec sleep infinity`;
    this.anchor = spawn(
      'setpriv',
      ['--pdeathsig', 'KILL', 'unshare', '--mount', '--propagation', 'private', 'bash', '-c', script],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    await firstLine(this.anchor, 'ready');
  }

  private async boot(): Promise<void> {
    const script = `set -e
mount --bind ${insideFolder}/boot_id /proc/sys/kernel/random/boot_id
echo ready; exec ${insideFolder}/init -e '$SIG{CHLD} = "IGNORE"; sleep 1000 while 1'`;
    this.machine = spawn(
      'setpriv',
      [
        ...['--pdeathsig', 'KILL', 'nsenter', `--mount=/proc/${this.anchor?.pid}/ns/mnt`],
        ...(this.network ? [`--net=/run/netns/${this.network.name}`] : []),
        ...['unshare', '--pid', '--fork', '--kill-child=SIGKILL', '--mount', '--mount-proc'],
        ...['--propagation', 'private', 'bash', '-c', script],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    await firstLine(this.machine, 'ready');
    await this.startSshd();
  }

  private enter(): string[] {
    return ['--target', String(this.init()), '--mount', '--net', '--pid', '--'];
  }

  /** Our number of the host's process 1. */
  private init(): number {
    const pid = this.machine?.pid;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return Number(children[0]);
  }

  private processes(): number[] {
    return processesBeside(this.init());
  }
}

/** A real sshd on 127.0.0.1 with accounts and mounts of its own. */
export function startSshd(options: SshHostOptions = {}): Promise<SshHost> {
  return SshHost.start(options, false);
}

/** A real sshd with a network of its own as well, whose link can fail in every way. */
export function startSshHost(options: SshHostOptions = {}): Promise<SshHost> {
  return SshHost.start(options, true);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
