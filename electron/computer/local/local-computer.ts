import { execFile } from 'node:child_process';
import { cpus, homedir, hostname, totalmem, userInfo } from 'node:os';
import { promisify } from 'node:util';
import { WaymarkError } from '@shared/contract/errors';
import type { Computer, ComputerFacts, FileSystemPort } from '../port';
import { sessionEnvironment } from '../sessions/environment';
import { BackedSessionHost, type SessionLimits } from '../sessions/session-host';
import { LocalFiles } from './local-files';
import { bootId, LocalSessionBackend } from './local-session-backend';
import { type LocalSandbox, sandboxEnvironment } from './sandbox/local-sandbox';
import { SandboxedFiles } from './sandbox/sandboxed-files';
import { type SupervisorKind, supervisorRuns } from './supervisor';

export interface LocalComputerOptions {
  /** The name the agent uses; default `local`. */
  name?: string;
  /** Where sessions live; on a local disk, kept between starts of the application. */
  sessionsDir: string;
  /** The application's `resources` directory. */
  resourcesDir: string;
  /** Programs that may hold terminals, in order of preference; default perl, then python3. */
  supervisors?: readonly SupervisorKind[];
  /** Default: the environment of this process; sessions get only the listed harmless names of it. */
  environment?: Readonly<Record<string, string | undefined>>;
  limits?: SessionLimits | undefined;
  /** What sessions and files see of this machine. Absent: all that the person does. */
  sandbox?: LocalSandbox | undefined;
}

/** The computer the application runs on (Linux, macOS; Windows only inside WSL, which is Linux). */
export class LocalComputer implements Computer {
  readonly kind = 'local';
  readonly name: string;
  readonly sessions: BackedSessionHost;
  readonly files: FileSystemPort;
  private readonly sandbox: LocalSandbox | undefined;
  private readonly supervisors: readonly SupervisorKind[];

  constructor(options: LocalComputerOptions) {
    this.name = options.name ?? 'local';
    this.supervisors = options.supervisors ?? ['perl', 'python3'];
    const environment = options.environment ?? process.env;
    const { sandbox, resourcesDir } = options;
    this.sandbox = sandbox;
    this.files =
      sandbox === undefined
        ? new LocalFiles()
        : new SandboxedFiles({
            computer: this.name,
            resourcesDir,
            command: () => sandbox.command(),
            environment: sandboxEnvironment(sandbox, sessionEnvironment('', environment, {})),
          });
    this.sessions = new BackedSessionHost({
      backend: new LocalSessionBackend({
        sessionsDir: options.sessionsDir,
        resourcesDir: options.resourcesDir,
        supervisors: this.supervisors,
        wrap: () => sandbox?.command() ?? [],
      }),
      computer: this.name,
      environment: (spec) => {
        const clean = sessionEnvironment(spec.name, environment, spec.env);
        return sandbox === undefined ? clean : sandboxEnvironment(sandbox, clean);
      },
      limits: options.limits,
    });
  }

  /** @throws WaymarkError unsupported, when this machine cannot hold sessions */
  async probe(): Promise<ComputerFacts> {
    const { platform } = process;
    if (platform !== 'linux' && platform !== 'darwin') {
      throw new WaymarkError(
        'unsupported',
        `Sessions on this computer need Linux or macOS; this is ${platform}. On Windows run the application inside WSL.`,
      );
    }
    const { stdout } = await promisify(execFile)('bash', ['-c', 'printf %s "$BASH_VERSION"']);
    const running = await Promise.all(this.supervisors.map(supervisorRuns));
    const supervisor = this.supervisors.find((_kind, index) => running[index]);
    if (!supervisor) {
      throw new WaymarkError(
        'unsupported',
        'Sessions need perl (with its POSIX module) or python3. Install perl.',
      );
    }
    return {
      boot: await bootId(),
      platform,
      hostname: hostname(),
      user: userInfo().username,
      homeDir: homedir(),
      cpus: cpus().length,
      memoryBytes: totalmem(),
      bashVersion: stdout,
      supervisor,
      clockOffsetMs: 0,
    };
  }

  /** What goes in front of a program so that it sees what sessions see; empty where they see everything. */
  wrap(): readonly string[] {
    return this.sandbox?.command() ?? [];
  }

  async dispose(): Promise<void> {
    if (this.files instanceof SandboxedFiles) await this.files.dispose();
    await this.sessions.dispose();
  }
}
