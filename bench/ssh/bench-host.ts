import { join } from 'node:path';
import type { HostComputer, Hosts } from '../../electron/computer/hosts';
import { createHosts } from '../../electron/computer/ssh/create-hosts';
import { ClientFiles } from '../../electron/testing/ssh/client-files';
import { namespacesMissing } from '../../electron/testing/ssh/namespaces';
import { type SshHost, startSshHost } from '../../electron/testing/ssh/ssh-host';
import type { SshTarget } from '../baselines/ssh-cat';

/** A real sshd in a network of its own, and this process's link to it. */
export interface BenchHost {
  host: SshHost;
  hosts: Hosts;
  /** The same host for OpenSSH's client. */
  target: SshTarget;
  /** Resolves once its link is up. */
  computer(namespace: string): Promise<HostComputer>;
  close(): Promise<void>;
}

const alias = 'box';

/** The hosts of a process that reads this configuration; whatever is asked is declined. */
export function hostsOf(configFile: string): Hosts {
  return createHosts({
    resourcesDir: join(process.cwd(), 'resources'),
    configFile,
    prompts: { ask: async () => null, alarm: () => undefined },
  });
}

export function computerOf(hosts: Hosts, namespace: string): HostComputer {
  return hosts.computer({ name: alias, alias, transport: 'ssh2', namespace });
}

/** @throws Error where hosts in namespaces cannot be had */
export async function openBenchHost(options: { homeBytes?: number } = {}): Promise<BenchHost> {
  if (namespacesMissing) throw new Error(namespacesMissing);
  const files = await ClientFiles.make();
  const host = await startSshHost({
    authorizedKeys: [files.key.publicLine],
    homeBytes: options.homeBytes ?? 2 * 1024 ** 3,
  });
  await files.add(alias, host);
  await files.trust(host);
  const hosts = hostsOf(files.configFile);
  return {
    host,
    hosts,
    target: { config: files.configFile, alias },
    computer: async (namespace) => {
      const computer = computerOf(hosts, namespace);
      await computer.linked(AbortSignal.timeout(60_000));
      return computer;
    },
    close: async () => {
      await hosts.dispose();
      await host.stop();
      await files.remove();
    },
  };
}
