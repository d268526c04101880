import { posix } from 'node:path';
import type { ComputerSpec } from '@shared/contract/task';
import { shellQuote } from '../base/shell-quote';
import type { HostComputer } from '../computer/hosts';
import type { SessionInfo } from '../computer/port';
import { listPackage, type PackageEntry } from './package-files';
import { draftName, partOf } from './package-part';
import { SetupSession } from './setup-session';
import type { AttemptMemory, Site } from './site';
import { isUploaded, runScript, upload } from './upload';

export interface HostSiteOptions {
  computer: ComputerSpec;
  host: HostComputer;
  /** Absolute, on the host. */
  root: string;
  /** The pinned copy of the package, on this machine. */
  packageFolder: string;
  signal: AbortSignal;
  /** The session of the set-up commands, for the log. */
  opened(info: SessionInfo): Promise<void>;
  closed(end: { id: string; exitCode: number | null; endOffset: number }): Promise<void>;
}

/** A host reached over SSH: its files, short scripts, and one durable session for the set-up commands. */
export class HostSite implements Site {
  readonly computer: ComputerSpec;
  readonly root: string;
  readonly prefix: string;
  readonly files: HostComputer['files'];
  private readonly session: SetupSession;
  private entries: Promise<PackageEntry[]> | undefined;

  constructor(private readonly options: HostSiteOptions) {
    const { computer, host, root, signal } = options;
    this.computer = computer;
    this.root = root;
    this.prefix = `${computer.name}/`;
    this.files = host.files;
    this.session = new SetupSession({
      sessions: host.sessions,
      cwd: root,
      env: computer.setup.variables,
      signal,
      opened: options.opened,
      closed: options.closed,
    });
  }

  async begin(): Promise<void> {
    await this.files.makeDirectory(this.root);
  }

  async copy(from: string, to: string): Promise<void> {
    const { host, packageFolder, signal } = this.options;
    this.entries ??= listPackage(packageFolder).then(({ entries }) => entries);
    const { source, entries, single } = partOf(packageFolder, await this.entries, from);
    const target = posix.join(this.root, to);
    const draft = posix.join(posix.dirname(target), draftName(from));
    // The link may have broken after the last script: then the copy is in its place and the draft is gone.
    const order = { host, entries, target, signal };
    if (single === null && !(await this.files.stat(draft)) && (await isUploaded(order))) return;
    await upload({ host, source, entries, target: draft, signal });
    await this.removeIfThere(target);
    const made = single === null ? draft : posix.join(draft, single);
    await runScript(host, `mv -f ${shellQuote(made)} ${shellQuote(target)} && rm -rf ${shellQuote(draft)}`);
  }

  async makeFolder(path: string): Promise<void> {
    await this.files.makeDirectory(posix.join(this.root, path));
  }

  async link(from: string, to: string): Promise<void> {
    const target = posix.join(this.root, to);
    await this.removeIfThere(target);
    await runScript(
      this.options.host,
      [
        `[ -r ${shellQuote(from)} ] || { echo ${shellQuote(`${from} cannot be read.`)}; exit 1; }`,
        `mkdir -p ${shellQuote(posix.dirname(target))} && ln -sfn ${shellQuote(from)} ${shellQuote(target)}`,
      ].join('\n'),
    );
  }

  async run(line: string, _number: number, memory: AttemptMemory): Promise<void> {
    await this.session.run(line, memory);
  }

  async finish(): Promise<void> {
    if (this.computer.setup.environment.length > 0) await this.session.close();
  }

  private async removeIfThere(path: string): Promise<void> {
    // Not `stat`: a dangling link is there too.
    await runScript(this.options.host, `rm -rf ${shellQuote(path)}`);
  }
}
