import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { version } from '../../../../package.json';
import { AgentClient } from '../../agent/agent-client';
import { AgentFiles } from '../../agent/agent-files';
import { type AgentSources, bootstrapCommand, readAgentSources, startAgent } from '../../agent/bootstrap';
import { ComputerUnavailable } from '../../failures';
import type { FileSystemPort } from '../../port';
import { JoinedStream } from '../../ssh/ssh2/ssh2-joined-stream';
import { spawnInside } from './spawn-inside';

export interface SandboxedFilesOptions {
  /** What messages call the computer. */
  computer: string;
  /** `bwrap` and its arguments, without the program to run. */
  command(): readonly string[];
  environment: Readonly<Record<string, string>>;
  resourcesDir: string;
}

interface Helper {
  child: ChildProcess;
  client: AgentClient;
}

type Methods = { [Name in keyof FileSystemPort]: FileSystemPort[Name] };

/**
 * Files as the run's sessions see them: the helper that serves hosts runs in a sandbox of the same view, so that a link which
 * the agent made leads no further than its own commands get. Started when it is first needed, and again when it died.
 */
export class SandboxedFiles implements Methods {
  private readonly options: SandboxedFilesOptions;
  private readonly files: AgentFiles;
  private helper: Promise<Helper> | undefined;
  private client: AgentClient | undefined;
  private sources: Promise<AgentSources> | undefined;
  private disposed = false;

  constructor(options: SandboxedFilesOptions) {
    this.options = options;
    const { computer } = options;
    this.files = new AgentFiles({
      host: computer,
      client: () => {
        if (this.client !== undefined) return this.client;
        throw new ComputerUnavailable(computer, `The helper for the files of ${computer} has ended.`);
      },
    });
  }

  read: FileSystemPort['read'] = (...args) => this.on((files) => files.read(...args));
  readRange: FileSystemPort['readRange'] = (...args) => this.on((files) => files.readRange(...args));
  write: FileSystemPort['write'] = (...args) => this.on((files) => files.write(...args));
  stat: FileSystemPort['stat'] = (...args) => this.on((files) => files.stat(...args));
  list: FileSystemPort['list'] = (...args) => this.on((files) => files.list(...args));
  walk: FileSystemPort['walk'] = (...args) => this.on((files) => files.walk(...args));
  realpath: FileSystemPort['realpath'] = (...args) => this.on((files) => files.realpath(...args));
  makeDirectory: FileSystemPort['makeDirectory'] = (...args) =>
    this.on((files) => files.makeDirectory(...args));
  remove: FileSystemPort['remove'] = (...args) => this.on((files) => files.remove(...args));
  hash: FileSystemPort['hash'] = (...args) => this.on((files) => files.hash(...args));

  /** Once more with a new helper when the first one died: each of them bears being asked twice. */
  private async on<T>(work: (files: AgentFiles) => Promise<T>): Promise<T> {
    await this.ready();
    try {
      return await work(this.files);
    } catch (error) {
      if (!(error instanceof ComputerUnavailable) || this.disposed) throw error;
      await this.ready();
      return work(this.files);
    }
  }

  private async ready(): Promise<void> {
    this.helper ??= this.start().catch((error: unknown) => {
      this.helper = undefined;
      throw error;
    });
    await this.helper;
  }

  private async start(): Promise<Helper> {
    const { command, environment, resourcesDir } = this.options;
    this.sources ??= readAgentSources(resourcesDir);
    const nonce = randomBytes(12).toString('hex');
    const options = ['--die-with-parent', '--remount-ro', '/', '--chdir', '/'];
    const shell = ['/bin/sh', '-c', bootstrapCommand(nonce)];
    const { child } = spawnInside({
      command: command(),
      options,
      program: shell,
      spawn: { cwd: '/', detached: true, env: environment, stdio: ['pipe', 'pipe', 'ignore'] },
    });
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) throw new Error('The helper for files has no pipes');
    // That it could not be started shows at the end of its output.
    child.on('error', () => stream.destroy());
    const stream = new JoinedStream(stdout, stdin, () => child.kill('SIGKILL'));
    stream.on('error', () => undefined);
    child.unref();
    try {
      await startAgent(stream, { nonce, sources: await this.sources, signal: AbortSignal.timeout(15_000) });
      const client = new AgentClient(stream);
      await client.hello(version);
      this.client = client;
      void client.closed.then(() => {
        this.client = undefined;
        this.helper = undefined;
        stream.destroy();
      });
      return { child, client };
    } catch (error) {
      stream.destroy();
      throw error;
    }
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    const helper = await this.helper?.catch(() => undefined);
    helper?.client.close();
  }
}
