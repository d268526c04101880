import type { LinkHealth } from '@shared/contract/computers';
import { WaymarkError } from '@shared/contract/errors';
import { AgentRefusal } from '../agent/agent-failures';
import { AgentFiles } from '../agent/agent-files';
import { type AgentLink, overLink } from '../agent/agent-link';
import { AgentSessionBackend } from '../agent/agent-session-backend';
import type { SessionResources } from '../agent/session-resources';
import type { HostComputer } from '../hosts';
import type { ComputerFacts } from '../port';
import { givenEnvironment } from '../sessions/environment';
import { BackedSessionHost, type SessionLimits } from '../sessions/session-host';
import { hostLimits } from './host-limits';

/** The middle of the quickest round trip is when the host looked at its clock. */
const clockLooks = 3;

export interface SshComputerOptions {
  /** The name the agent uses. */
  name: string;
  alias: string;
  /** Sessions of one namespace do not see those of another: a run's id, or `own`. */
  namespace: string;
  link: AgentLink;
  resources: SessionResources;
  /** Of the application, told to the helper. */
  version: string;
  limits?: SessionLimits | undefined;
  /** Called once when it is disposed: the link may close with its last user. */
  released?: (() => void) | undefined;
}

/** A host over its one channel. Calls fail with `ComputerUnavailable` while the link is not up; nothing is queued for later. */
export class SshComputer implements HostComputer {
  readonly kind = 'ssh';
  readonly name: string;
  readonly alias: string;
  readonly sessions: BackedSessionHost;
  readonly files: AgentFiles;
  private readonly options: SshComputerOptions;
  private disposed = false;

  /** @throws RangeError when the namespace cannot be a directory's name */
  constructor(options: SshComputerOptions) {
    const { name, alias, namespace, link, resources, limits } = options;
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(namespace)) {
      throw new RangeError(`"${namespace}" cannot be the name of a directory of sessions.`);
    }
    this.options = options;
    this.name = name;
    this.alias = alias;
    this.files = new AgentFiles(link);
    this.sessions = new BackedSessionHost({
      backend: new AgentSessionBackend({ link, computer: name, namespace, resources }),
      computer: name,
      environment: (spec) => givenEnvironment(spec.name, spec.env),
      ...(limits ? { limits } : {}),
    });
  }

  health(): LinkHealth {
    return this.options.link.health();
  }

  async linked(signal: AbortSignal): Promise<void> {
    await this.options.link.linked(signal);
  }

  async probe(): Promise<ComputerFacts & { sessionsDir: string; limits: string[] }> {
    const { link, version, namespace } = this.options;
    const asked = overLink(link, async (client) => {
      const facts = await client.hello(version);
      let quickest = Number.POSITIVE_INFINITY;
      let clockOffsetMs = 0;
      for (let look = 0; look < clockLooks; look += 1) {
        const sentAt = Date.now();
        const { roundTripMs, now } = await client.ping();
        if (roundTripMs >= quickest) continue;
        quickest = roundTripMs;
        clockOffsetMs = now - (sentAt + roundTripMs / 2);
      }
      return {
        boot: facts.boot,
        platform: facts.platform,
        hostname: facts.hostname,
        user: facts.user,
        homeDir: facts.home,
        cpus: facts.cpus,
        memoryBytes: facts.memoryBytes,
        bashVersion: facts.bashVersion,
        // What runs the helper can hold terminals; the host tries perl first for both.
        supervisor: facts.helper,
        clockOffsetMs,
        sessionsDir: `${facts.base}/${namespace}`,
        limits: hostLimits(facts),
      };
    });
    return asked.catch((error: unknown) => {
      if (!(error instanceof AgentRefusal)) throw error;
      const text = `The computer ${this.name} cannot say what it is: ${error.message}.`;
      throw new WaymarkError('unsupported', text, error.code, { cause: error });
    });
  }

  async exec(
    script: string,
    options: { cwd?: string; timeoutMs: number; env?: Readonly<Record<string, string>> },
  ): Promise<{ exitCode: number | null; output: string }> {
    const { link } = this.options;
    const { timeoutMs, env = {} } = options;
    const cwd = options.cwd ?? link.facts()?.home ?? '/';
    const environment = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    try {
      return await overLink(link, async (client) => {
        const args = [cwd, String(timeoutMs), ...environment];
        const { fields, body } = await client.request('exec', args, { body: Buffer.from(script) });
        const output = Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8');
        return { exitCode: /^\d{1,3}$/.test(fields[0] ?? '') ? Number(fields[0]) : null, output };
      });
    } catch (error) {
      throw this.refusedScript(error, cwd);
    }
  }

  private refusedScript(error: unknown, cwd: string): unknown {
    if (!(error instanceof AgentRefusal)) return error;
    const text =
      error.code === 'cwd_missing'
        ? `its directory ${cwd} is not there. Choose one that exists`
        : error.code === 'shell_missing'
          ? 'there is no bash. Install it there'
          : error.message;
    const code = error.code === 'cwd_missing' ? 'not_found' : 'unsupported';
    return new WaymarkError(
      code,
      `A script cannot run on the computer ${this.name}: ${text}.`,
      error.message,
      {
        cause: error,
      },
    );
  }

  async dispose(): Promise<void> {
    if (this.disposed) return;
    this.disposed = true;
    await this.sessions.dispose();
    this.options.released?.();
  }
}
