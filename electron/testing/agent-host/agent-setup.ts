import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { SessionResources } from '../../computer/agent/session-resources';
import type { SessionLimits } from '../../computer/sessions/session-host';
import { bootstrapHelper } from '../../computer/ssh/link/connect-attempt';
import { SshComputer, type SshComputerOptions } from '../../computer/ssh/ssh-computer';
import type { ConformanceSetup } from '../conformance/session-driver';
import { type LocalAgentTransport, localAgentTransport } from './local-agent-transport';
import { TestLink } from './test-link';

export const resourcesDir = resolve(import.meta.dirname, '../../../resources');

export interface AgentSetup extends ConformanceSetup {
  computer: SshComputer;
  link: TestLink;
  transport: LocalAgentTransport;
  /** Another computer of the same host, over the same link. */
  computerLike(options: Partial<SshComputerOptions>): SshComputer;
}

export interface AgentSetupOptions {
  /** Added to what a login on the host has. */
  environment?: Readonly<Record<string, string>>;
  limits?: SessionLimits | undefined;
}

/** A computer whose host is a helper on this machine, with a home of its own, and a link that is up. */
export async function agentSetup(
  helper: 'perl' | 'python3',
  { environment = {}, limits }: AgentSetupOptions = {},
): Promise<AgentSetup> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'waymark-agent-')));
  const workdir = join(root, 'work');
  await mkdir(workdir);
  const transport = localAgentTransport({ helper, root, environment });
  const links: TestLink[] = [];
  const newLink = async () => {
    const link = new TestLink(transport, bootstrapHelper(resourcesDir, 'test'));
    links.push(link);
    await link.linked(new AbortController().signal);
    return link;
  };
  const dispose = async () => {
    for (const each of links) each.close();
    await transport.dispose();
    await rm(root, { recursive: true, force: true });
  };
  const resources = new SessionResources(resourcesDir);
  const link = await newLink().catch(async (error: unknown) => {
    await dispose();
    throw error;
  });
  const over = (used: TestLink, options: Partial<SshComputerOptions> = {}) =>
    new SshComputer({
      name: 'gpu-host',
      alias: 'test-host',
      namespace: 'run-1',
      link: used,
      resources,
      version: 'test',
      limits,
      ...options,
    });
  return {
    computer: over(link),
    link,
    transport,
    workdir,
    computerLike: (options) => over(link, options),
    again: async () => over(await newLink()),
    shell: async (script) => (await promisify(execFile)('bash', ['-c', script])).stdout,
    dispose,
  };
}
