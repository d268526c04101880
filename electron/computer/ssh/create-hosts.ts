import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { TransportKind } from '@shared/contract/computers';
import { version } from '../../../package.json';
import { dataFolder } from '../../application-folders';
import { systemLinkClock } from '../../clock';
import { SessionResources } from '../agent/session-resources';
import type { Hosts } from '../hosts';
import { resolveHost } from './config/resolve-host';
import { resolutionOf } from './config/resolved-host';
import { listAliases } from './config/ssh-config';
import { bootstrapHelper } from './link/connect-attempt';
import { HostPool } from './link/host-pool';
import { networkFingerprint } from './link/network-watch';
import { OpenSshTransport } from './openssh/openssh-transport';
import { SshComputer } from './ssh-computer';
import type { HostTransport, PromptPort } from './transport';

export interface HostsOptions {
  /** The application's `resources` directory. */
  resourcesDir: string;
  /** Who answers questions of hosts: the window or the terminal. */
  prompts: PromptPort;
  /** Read instead of `~/.ssh/config`, as by `ssh -F`; absolute. */
  configFile?: string | undefined;
}

/** How to reach a host by its alias: the user's ssh configuration with one of both clients. */
export function createTransport({
  resourcesDir,
  configFile,
}: Omit<HostsOptions, 'prompts'>): (alias: string, kind: TransportKind) => HostTransport {
  const setup = { configFile };
  return (alias, kind) =>
    kind === 'openssh'
      ? new OpenSshTransport(alias, {
          ...setup,
          askpassProgram: join(resourcesDir, 'askpass', 'askpass'),
          askFolder: askFolder(),
        })
      : {
          // ssh2 is loaded for the first host that is reached with it: most starts reach none.
          open: async (command, options) => {
            const { Ssh2Transport } = await import('./ssh2/ssh2-transport');
            return new Ssh2Transport(alias, setup).open(command, options);
          },
        };
}

/** By machine: data folders may lie in a home that several machines share, and process numbers are of one. */
function askFolder(): string {
  const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 16);
  return join(dataFolder(process.env, process.platform), 'ask', machine);
}

/** The hosts of this process, put together: the user's ssh configuration, both clients, one link per host. */
export function createHosts({ resourcesDir, prompts, configFile }: HostsOptions): Hosts {
  const setup = { configFile };
  const resources = new SessionResources(resourcesDir);
  return new HostPool({
    transport: createTransport({ resourcesDir, configFile }),
    computer: (order, link, released) => new SshComputer({ ...order, link, resources, version, released }),
    helper: bootstrapHelper(resourcesDir, version),
    prompts,
    resolve: async (alias) => resolutionOf(await resolveHost(alias, setup)),
    candidates: () => listAliases(setup),
    clock: systemLinkClock,
    random: () => Math.random(),
    networks: networkFingerprint,
  });
}
