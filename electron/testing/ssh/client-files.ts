import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyOptions, makeKey, type TestKey } from './keys';
import { namePrefix } from './namespaces';
import type { SshHost } from './ssh-host';

/**
 * What a user keeps in `~/.ssh`, in a folder of its own: configuration, known hosts, keys. OpenSSH finds the real home
 * by the account and not by HOME, so everything names its files and is read with `-F`.
 */
export class ClientFiles {
  private constructor(
    readonly folder: string,
    readonly configFile: string,
    readonly knownHosts: string,
    /** Without passphrase; named in the configuration of every host. */
    readonly key: TestKey,
  ) {}

  static async make(): Promise<ClientFiles> {
    const folder = await mkdtemp(join(tmpdir(), `${namePrefix}${process.pid}-`));
    const files = new ClientFiles(
      folder,
      join(folder, 'config'),
      join(folder, 'known_hosts'),
      await makeKey(folder, 'id_test'),
    );
    await writeFile(files.configFile, '');
    return files;
  }

  makeKey(name: string, options: KeyOptions = {}): Promise<TestKey> {
    return makeKey(this.folder, name, options);
  }

  /**
   * Adds an alias. `lines` are more settings for it; they come first, and there the first one wins.
   * The host's key is not known yet: see `trust`.
   */
  async add(
    alias: string,
    host: { address: string; port: number; user: string },
    lines: readonly string[] = [],
  ): Promise<void> {
    const settings = [
      ...lines,
      `HostName ${host.address}`,
      `Port ${host.port}`,
      `User ${host.user}`,
      `UserKnownHostsFile ${this.knownHosts}`,
      'GlobalKnownHostsFile none',
      ...(lines.some((line) => /^IdentityFile/i.test(line)) ? [] : [`IdentityFile ${this.key.file}`]),
      'IdentitiesOnly yes',
      'IdentityAgent none',
    ];
    await appendFile(this.configFile, `Host ${alias}\n${settings.map((line) => `  ${line}\n`).join('')}`);
  }

  /** Records a host's keys as OpenSSH would. */
  async trust(host: SshHost): Promise<void> {
    for (const { publicLine } of host.folder.hostKeys) {
      await this.know(`${nameInKnownHosts(host)} ${publicLine.split(' ').slice(0, 2).join(' ')}`);
    }
  }

  /** Adds a line to known_hosts. */
  async know(line: string): Promise<void> {
    await appendFile(this.knownHosts, `${line}\n`);
  }

  /** What known_hosts holds; empty when there is none. */
  known(): Promise<string> {
    return readFile(this.knownHosts, 'utf8').catch(() => '');
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

/** `host` or `[host]:port`. */
export function nameInKnownHosts({ address, port }: { address: string; port: number }): string {
  return port === 22 ? address : `[${address}]:${port}`;
}
