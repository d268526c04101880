import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyKind, makeKey, type TestKey } from './keys';
import { namePrefix, run } from './namespaces';

/** Where a host sees the folder that this process keeps for it. */
export const insideFolder = '/mnt';

export interface HostUser {
  name: string;
  /** None: no password lets this user in. */
  password?: string;
  /** Absolute path; default bash. */
  shell?: string;
}

export interface SshdOptions {
  /** Lines of authorized_keys, for every user. */
  authorizedKeys?: readonly string[];
  /** More lines of sshd_config. They come first, and there the first one wins. */
  lines?: readonly string[];
  hostKeys?: readonly KeyKind[];
}

export interface HostFolder {
  path: string;
  hostKeys: TestKey[];
}

/** Accounts, keys and the boot id of one host. Nothing of it is secret or lasts. */
export async function makeHostFolder(users: readonly HostUser[], options: SshdOptions): Promise<HostFolder> {
  const path = await mkdtemp(join(tmpdir(), `${namePrefix}${process.pid}-`));
  await chmod(path, 0o755);
  const files: Record<string, string> = {
    passwd: accounts(users, (name, uid, shell) => `${name}:x:${uid}:${uid}:${name}:/home/${name}:${shell}`),
    group: [
      'root:x:0:',
      'nogroup:x:65534:',
      ...users.map(({ name }, index) => `${name}:x:${uidOf(index)}:`),
    ].join('\n'),
    shadow: ['root:*:19000:0:99999:7:::', 'sshd:!:19000::::::', ...(await shadowLines(users))].join('\n'),
    boot_id: randomUUID(),
    authorized_keys: (options.authorizedKeys ?? []).join('\n'),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), `${text}\n`);
  await chmod(join(path, 'shadow'), 0o600);
  const hostKeys = await makeHostKeys(path, options.hostKeys ?? ['ed25519', 'ecdsa', 'rsa']);
  return { path, hostKeys };
}

/** Makes host keys in a folder of their own, so that they can be exchanged. */
export async function makeHostKeys(path: string, kinds: readonly KeyKind[]): Promise<TestKey[]> {
  const name = `keys-${randomUUID().slice(0, 8)}`;
  await mkdir(join(path, name));
  const keys: TestKey[] = [];
  for (const kind of kinds) keys.push(await makeKey(join(path, name), `host_${kind}`, { kind }));
  return keys;
}

/** sshd's configuration as the host sees it. */
export async function writeSshdConfig(
  folder: HostFolder,
  address: string,
  port: number,
  options: SshdOptions,
): Promise<void> {
  const inside = (file: string) => file.replace(folder.path, insideFolder);
  const lines = [
    ...(options.lines ?? []),
    `Port ${port}`,
    `ListenAddress ${address}`,
    ...folder.hostKeys.map(({ file }) => `HostKey ${inside(file)}`),
    `PidFile ${insideFolder}/sshd.pid`,
    `AuthorizedKeysFile ${insideFolder}/authorized_keys`,
    'UsePAM no',
    'StrictModes no',
    'PrintMotd no',
    'PrintLastLog no',
    'PermitRootLogin yes',
    'MaxStartups 100:30:200',
    'LogLevel DEBUG1',
  ];
  await writeFile(join(folder.path, 'sshd_config'), `${lines.join('\n')}\n`);
}

export function uidOf(index: number): number {
  return 20_000 + index;
}

function accounts(
  users: readonly HostUser[],
  line: (name: string, uid: number, shell: string) => string,
): string {
  return [
    'root:x:0:0:root:/root:/bin/bash',
    'sshd:x:105:65534::/run/sshd:/usr/sbin/nologin',
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
    ...users.map(({ name, shell }, index) => line(name, uidOf(index), shell ?? '/bin/bash')),
  ].join('\n');
}

async function shadowLines(users: readonly HostUser[]): Promise<string[]> {
  const lines: string[] = [];
  for (const { name, password } of users) {
    // A star lets nobody in by password, while an exclamation mark would lock the account for keys as well.
    const hash =
      password === undefined
        ? '*'
        : await run('perl', ['-e', 'print crypt($ARGV[0], "\\$6\\$waymark")', password]);
    lines.push(`${name}:${hash}:19000:0:99999:7:::`);
  }
  return lines;
}
