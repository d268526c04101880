import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { resolvedHost } from '@shared/contract/host-fixtures';
import { systemLinkClock } from '../clock';
import { SessionResources } from '../computer/agent/session-resources';
import { FileError } from '../computer/failures';
import type { HostComputer, Hosts } from '../computer/hosts';
import type { FileSystemPort } from '../computer/port';
import type { SessionLimits } from '../computer/sessions/session-host';
import { bootstrapHelper } from '../computer/ssh/link/connect-attempt';
import { HostPool } from '../computer/ssh/link/host-pool';
import { SshComputer } from '../computer/ssh/ssh-computer';
import { ConnectFailure, type HostTransport } from '../computer/ssh/transport';
import { resourcesDir } from './agent-host/agent-setup';
import { type LocalAgentTransport, localAgentTransport } from './agent-host/local-agent-transport';

/** "Hosts" on this machine: the real pool, links and helper programs, with child processes for the network. */
export interface AgentHosts {
  hosts: Hosts;
  /** The home of the host's user. */
  home(alias: string): string;
  /** The link breaks, and no new one comes about until `restore`. */
  cut(alias: string): void;
  restore(alias: string): void;
  /** From the next request of that kind on nothing comes back; `cut` ends it. */
  loseAnswersFrom(alias: string, op: string): void;
  dispose(): Promise<void>;
}

export interface AgentHostsOptions {
  root: string;
  aliases: readonly string[];
  /** These hosts share no files with the others, as far as the files port goes: only their home is theirs. */
  apart?: readonly string[];
  /** Of every session there. */
  limits?: SessionLimits;
}

export async function agentHosts({
  root,
  aliases,
  apart = [],
  limits,
}: AgentHostsOptions): Promise<AgentHosts> {
  const version = 'test';
  const resources = new SessionResources(resourcesDir);
  const away = new Set<string>();
  const transports = new Map<string, LocalAgentTransport>();
  for (const alias of aliases) {
    const folder = join(root, alias);
    await mkdir(folder, { recursive: true });
    transports.set(alias, localAgentTransport({ helper: 'perl', root: folder }));
  }
  const home = (alias: string) => join(root, alias, 'home');
  const transportOf = (alias: string): HostTransport => ({
    open: (command, options) => {
      const transport = transports.get(alias);
      if (transport === undefined || away.has(alias)) {
        return Promise.reject(new ConnectFailure('tcp', 'tcp', `${alias} does not answer.`));
      }
      return transport.open(command, options);
    },
  });
  const hosts = new HostPool({
    transport: transportOf,
    computer: (order, link, released): HostComputer => {
      const computer = new SshComputer({ ...order, link, resources, version, released, limits });
      return apart.includes(order.alias) ? jailed(computer, home(order.alias)) : computer;
    },
    helper: bootstrapHelper(resourcesDir, version),
    prompts: { ask: () => Promise.resolve(null), alarm: () => undefined },
    resolve: (alias) => Promise.resolve(resolvedHost(alias)),
    candidates: () => Promise.resolve([...aliases]),
    clock: systemLinkClock,
    random: () => 0.5,
    networks: () => 'one network',
  });
  return {
    hosts,
    home,
    cut: (alias) => {
      away.add(alias);
      transports.get(alias)?.cut();
    },
    restore: (alias) => {
      away.delete(alias);
      hosts.retryNow(alias);
    },
    loseAnswersFrom: (alias, op) => transports.get(alias)?.loseAnswersFrom(op),
    dispose: async () => {
      await hosts.dispose();
      await Promise.all([...transports.values()].map((transport) => transport.dispose()));
    },
  };
}

/** The computer as if nothing outside `home` were on its disk. */
function jailed(computer: SshComputer, home: string): HostComputer {
  const files = new Proxy(computer.files, {
    get(target, key: keyof FileSystemPort) {
      const method = target[key] as (path: string, ...rest: unknown[]) => Promise<unknown>;
      return (path: string, ...rest: unknown[]) => {
        if (path.startsWith(`${home}/`) || path === home) return method.call(target, path, ...rest);
        return key === 'stat'
          ? Promise.resolve(undefined)
          : Promise.reject(new FileError('not_found', path, `${path} does not exist.`));
      };
    },
  });
  return new Proxy(computer, {
    get: (target, key) => {
      if (key === 'files') return files;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
