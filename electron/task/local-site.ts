import { access, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type ComputerSpec, type TaskSpec, workspaceHolder } from '@shared/contract/task';
import { LocalFiles } from '../computer/local/local-files';
import { remove } from '../files/remove';
import { copyEntries } from './add';
import { listPackage, type PackageEntry } from './package-files';
import { draftName, partOf } from './package-part';
import { runProcess } from './run-process';
import type { Site } from './site';

/** A set-up command may take this long, ms. */
export const environmentTimeoutMs = 6 * 3_600_000;

export interface LocalSiteOptions {
  computer: ComputerSpec;
  root: string;
  /** The pinned copy of the package. */
  packageFolder: string;
  /** Where the output of set-up commands is kept. */
  runFolder: string;
  /** What goes in front of set-up commands so that they see what the agent's sessions see; empty: nothing. */
  within?: readonly string[];
  signal: AbortSignal;
}

/** This machine: plain files and processes. */
export class LocalSite implements Site {
  readonly computer: ComputerSpec;
  readonly root: string;
  readonly prefix = '';
  readonly files = new LocalFiles();
  private entries: Promise<PackageEntry[]> | undefined;

  constructor(private readonly options: LocalSiteOptions) {
    this.computer = options.computer;
    this.root = options.root;
  }

  async begin(): Promise<void> {
    await mkdir(this.root, { recursive: true });
  }

  async copy(from: string, to: string): Promise<void> {
    const { packageFolder } = this.options;
    this.entries ??= listPackage(packageFolder).then(({ entries }) => entries);
    const { source, entries, single } = partOf(packageFolder, await this.entries, from);
    const target = join(this.root, to);
    const draft = join(dirname(target), draftName(from));
    await this.clear(draft);
    await mkdir(dirname(target), { recursive: true });
    await copyEntries(source, entries, draft);
    await this.clear(target);
    await rename(single === null ? draft : join(draft, single), target);
    await this.clear(draft);
  }

  /** Paths of a package go through no link of its own: what stands behind one is no part of the agent's folder. */
  private clear(path: string): Promise<void> {
    return remove(this.root, relative(this.root, path).split(sep));
  }

  async makeFolder(path: string): Promise<void> {
    await mkdir(join(this.root, path), { recursive: true });
  }

  async link(from: string, to: string): Promise<void> {
    try {
      await access(from);
    } catch (error) {
      throw new Error(`${from} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).`);
    }
    const target = join(this.root, to);
    await mkdir(dirname(target), { recursive: true });
    await this.clear(target);
    await symlink(from, target);
  }

  async run(line: string, number: number): Promise<void> {
    const { computer, runFolder, signal, within = [] } = this.options;
    const ended = await runProcess({
      command: line,
      within,
      cwd: this.root,
      env: { HOME: process.env.HOME ?? this.root, ...computer.setup.variables },
      timeoutMs: environmentTimeoutMs,
      signal,
    });
    await writeFile(join(runFolder, `setup-${computer.name}-${number}.log`), ended.output);
    if (ended.ended === 'exit' && ended.exitCode === 0) return;
    const tail = ended.output.trim().split('\n').slice(-5).join('\n');
    throw new Error(`exit code ${ended.exitCode ?? ended.ended}. ${tail}`);
  }

  async finish(): Promise<void> {
    // Nothing is held open here.
  }
}

/** The sites of a task whose only usable computer is this machine. */
export function localSites(
  spec: TaskSpec,
  packageFolder: string,
  runFolder: string,
  signal: AbortSignal,
): { site: Site; shares: boolean }[] {
  const computer = workspaceHolder(spec);
  const root = workspaceRoot(runFolder);
  const site = new LocalSite({ computer, root, packageFolder, runFolder, signal });
  return [{ site, shares: false }];
}

/** Where the agent works on the local computer. `runFolder`: `<workspace>/runs/<run>`. */
export function workspaceRoot(runFolder: string): string {
  return join(runFolder, 'work');
}
