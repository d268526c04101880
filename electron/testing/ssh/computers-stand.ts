import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TransportKind } from '@shared/contract/computers';
import { systemLinkClock } from '../../clock';
import { SessionResources } from '../../computer/agent/session-resources';
import type { HostComputer, Hosts } from '../../computer/hosts';
import type { SessionLimits } from '../../computer/sessions/session-host';
import { resolveHost } from '../../computer/ssh/config/resolve-host';
import { listAliases } from '../../computer/ssh/config/ssh-config';
import { bootstrapHelper } from '../../computer/ssh/link/connect-attempt';
import { HostPool } from '../../computer/ssh/link/host-pool';
import { networkFingerprint } from '../../computer/ssh/link/network-watch';
import { OpenSshTransport } from '../../computer/ssh/openssh/openssh-transport';
import { SshComputer } from '../../computer/ssh/ssh-computer';
import { Ssh2Transport } from '../../computer/ssh/ssh2/ssh2-transport';
import type { ConformanceSetup } from '../conformance/session-driver';
import { ClientFiles } from './client-files';
import { ScriptedPerson } from './prompts';
import { type SshHost, type SshHostOptions, startSshHost } from './ssh-host';

const resourcesDir = resolve(import.meta.dirname, '../../../resources');
const askFolder = mkdtempSync(join(tmpdir(), 'ask-'));
const alias = 'box';
/** A busy machine starts helpers slowly. */
const linkLimitMs = 60_000;

/** One real host and any number of processes' worth of links to it, all as the application makes them. */
export class ComputersStand {
  private readonly pools: Hosts[] = [];
  private count = 0;

  private constructor(
    readonly host: SshHost,
    readonly files: ClientFiles,
    private readonly transport: TransportKind,
  ) {}

  static async open(transport: TransportKind, options: SshHostOptions = {}): Promise<ComputersStand> {
    const files = await ClientFiles.make();
    const host = await startSshHost({
      homeBytes: 1 << 30,
      ...options,
      authorizedKeys: [files.key.publicLine],
    });
    await files.add(alias, host);
    await files.trust(host);
    return new ComputersStand(host, files, transport);
  }

  /** The hosts of one more process. */
  hosts(limits?: SessionLimits): Hosts {
    const setup = { configFile: this.files.configFile };
    const resources = new SessionResources(resourcesDir);
    const pool = new HostPool({
      transport: (name, kind) =>
        kind === 'openssh'
          ? new OpenSshTransport(name, {
              ...setup,
              askpassProgram: `${resourcesDir}/askpass/askpass`,
              askFolder,
            })
          : new Ssh2Transport(name, setup),
      computer: (order, link, released) =>
        new SshComputer({ ...order, link, resources, version: 'test', limits, released }),
      helper: bootstrapHelper(resourcesDir, 'test'),
      prompts: new ScriptedPerson(),
      resolve: (name) => resolveHost(name, setup),
      candidates: () => listAliases(setup),
      clock: systemLinkClock,
      random: () => Math.random(),
      networks: networkFingerprint,
    });
    this.pools.push(pool);
    return pool;
  }

  /** A computer whose link is up. */
  async computer(hosts: Hosts, namespace: string, to = alias): Promise<HostComputer> {
    const computer = hosts.computer({ name: to, alias: to, transport: this.transport, namespace });
    await computer.linked(AbortSignal.timeout(linkLimitMs));
    return computer;
  }

  /** Every test has its own sessions and directory on the one host, and links of its own. */
  async setup(limits?: SessionLimits): Promise<ConformanceSetup> {
    this.count += 1;
    const namespace = `run-${this.count}`;
    const workdir = `${this.host.home}/work-${this.count}`;
    await this.host.shell(`mkdir ${workdir}`);
    const pools: Hosts[] = [];
    const again = async () => {
      const hosts = this.hosts(limits);
      pools.push(hosts);
      return this.computer(hosts, namespace);
    };
    return {
      computer: await again(),
      workdir,
      again,
      shell: (script) => this.host.shell(script),
      dispose: async () => {
        for (const pool of pools) await pool.dispose();
        await this.host.shell(`chmod -R u+w ${workdir}; rm -rf ${workdir}`);
      },
    };
  }

  async close(): Promise<void> {
    for (const pool of this.pools) await pool.dispose();
    await this.host.stop();
    await this.files.remove();
  }
}
