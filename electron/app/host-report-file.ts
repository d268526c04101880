import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type HostReport, transportKind } from '@shared/contract/computers';
import { z } from 'zod';
import { writeAtomically } from '../base/atomic-file';
import { SerialQueue } from '../base/serial-queue';
import type { HostReports } from '../commands/computers';

const count = z.number();
const figure = count.nullable();
const stage = z.object({
  stage: z.enum(['resolve', 'tcp', 'host_key', 'auth', 'shell', 'helper', 'disk', 'gpu']),
  state: z.enum(['waiting', 'running', 'ok', 'failed', 'skipped', 'warning']),
  message: z.string(),
  via: z.string().nullable(),
  ms: count.nullable(),
});
const program = z.enum(['perl', 'python3']);
const facts = z.object({
  hostname: z.string(),
  user: z.string(),
  platform: z.string(),
  cpus: count,
  memoryBytes: count,
  bashVersion: z.string(),
  helper: program,
  supervisor: program,
  sessionsDir: z.string(),
  fileSystem: z.string(),
  freeBytes: count,
  totalBytes: count,
  clockOffsetMs: count,
  gpus: z.array(
    z.object({ index: count, name: z.string(), memoryMb: figure, usedMb: figure, utilization: figure }),
  ),
});
const report = z.object({
  alias: z.string(),
  transport: transportKind,
  at: count,
  ok: z.boolean(),
  stages: z.array(stage),
  facts: facts.nullable(),
  limits: z.array(z.string()),
});

/**
 * Reports of tests in one file of the data folder. They can be made again by a test, so a file that cannot be read
 * or written costs nothing but that; `warn` hears of it.
 */
export class HostReportFile implements HostReports {
  private readonly path: string;
  private readonly warn: (message: string, error: unknown) => void;
  private readonly reports = new Map<string, HostReport>();
  private kept: ReadonlySet<string>;
  private readonly writes = new SerialQueue();

  /** @param kept aliases of the computers that are added */
  static async open(
    path: string,
    kept: readonly string[],
    warn: (message: string, error: unknown) => void,
  ): Promise<HostReportFile> {
    const file = new HostReportFile(path, kept, warn);
    try {
      const stored = z.array(report).parse(JSON.parse(await readFile(path, 'utf8')));
      for (const each of stored) if (file.kept.has(each.alias)) file.reports.set(each.alias, each);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        warn(`The last tests of computers could not be read from ${path}`, error);
    }
    return file;
  }

  private constructor(
    path: string,
    kept: readonly string[],
    warn: (message: string, error: unknown) => void,
  ) {
    this.path = path;
    this.kept = new Set(kept);
    this.warn = warn;
  }

  get(alias: string): HostReport | null {
    return this.reports.get(alias) ?? null;
  }

  async put(made: HostReport): Promise<void> {
    this.reports.set(made.alias, made);
    if (this.kept.has(made.alias)) await this.write();
  }

  async keep(aliases: readonly string[]): Promise<void> {
    const removed = [...this.kept].filter((alias) => !aliases.includes(alias));
    for (const alias of removed) this.reports.delete(alias);
    this.kept = new Set(aliases);
    await this.write();
  }

  private write(): Promise<void> {
    const kept = [...this.reports.values()].filter(({ alias }) => this.kept.has(alias));
    const text = `${JSON.stringify(kept, null, 2)}\n`;
    return this.writes.run(async () => {
      try {
        await mkdir(dirname(this.path), { recursive: true });
        await writeAtomically(this.path, text, 0o600);
      } catch (error) {
        this.warn(`The last tests of computers could not be written to ${this.path}`, error);
      }
    });
  }
}
