import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import {
  compressions,
  exportFormats,
  exportRequestSchema,
  exportVariants,
} from '@shared/contract/export-request';
import type { DatasetView } from '@shared/contract/export-views';
import { isId } from '@shared/contract/id';
import { z } from 'zod';
import { writeAtomically } from '../../base/atomic-file';
import { makeFoldersIn, modesIn } from '../../files/private';
import { readRegularFile } from '../../files/regular-file';
import { removeFile } from '../../files/remove';
import { datasetPath, datasetsFolder, exportJobPath } from '../../files/workspace-paths';
import { manifestFile } from '../manifest';

const count = z.int().nonnegative();
const sha = z.string().regex(/^[0-9a-f]{64}$/);

/** A past export as the workspace remembers it: one small file each, so that processes never write the same one. */
export const storedDataset = z.object({
  id: sha,
  /** Where it was written, newest last: the same snapshot written twice is the same dataset. */
  folders: z.array(z.string().min(1)).min(1),
  format: z.enum(exportFormats),
  writtenAt: z.number(),
  snapshot: sha,
  variants: z.array(z.enum(exportVariants)),
  options: exportRequestSchema,
  compression: z.enum(compressions),
  records: count,
  trained: count,
  masked: count,
  bytes: count,
  redacted: count,
  files: z.array(z.object({ path: z.string(), bytes: count, sha256: sha, records: count })),
  /** Absent in what was written before it was kept. */
  composition: z
    .array(
      z.object({
        task: z.string(),
        hash: z.string(),
        domain: z.string().nullable(),
        runs: count,
        rows: count,
        trained: count,
        masked: count,
      }),
    )
    .optional(),
});
export type StoredDataset = z.infer<typeof storedDataset>;

/** An export that is being written, or that a killed process left; it lies there until the job is over. */
export const storedJob = z.object({
  id: z.string().refine(isId),
  folder: z.string().min(1),
  options: exportRequestSchema,
  startedAt: z.number(),
  pid: z.int().positive(),
});
export type StoredJob = z.infer<typeof storedJob>;

/** What a description may weigh, bytes: one of a million documents names each of them. */
const mostDescription = 256 * 1024 * 1024;
const mostIndex = 512 * 1024 * 1024;

/** Past exports of a workspace, and those that are not done. Each write is atomic; several processes may use one. */
export class DatasetRegistry {
  constructor(private readonly workspace: string) {}

  /** Newest first. What cannot be read is left out: it describes files that lie elsewhere, and keeps nobody from exporting. */
  async list(): Promise<StoredDataset[]> {
    const found = await this.readAll(/^([0-9a-f]{64})\.json$/, storedDataset);
    return found.sort((a, b) => b.writtenAt - a.writtenAt || (a.id < b.id ? -1 : 1));
  }

  /** @throws WaymarkError not_found */
  async get(id: string): Promise<StoredDataset> {
    const found = await this.read(datasetPath(this.workspace, id, '.json'), storedDataset);
    if (found !== null) return found;
    throw new WaymarkError(
      'not_found',
      `Dataset ${id.slice(0, 12)} is not in this workspace's list. It may have been removed from it; "export list" shows what is there.`,
      id,
    );
  }

  /** Remembers an export, and `index` with it (gzip of `records.index`), so that it can be compared when its folder is gone. */
  async add(dataset: Omit<StoredDataset, 'folders'>, folder: string, index: Uint8Array): Promise<void> {
    const known = await this.read(datasetPath(this.workspace, dataset.id, '.json'), storedDataset);
    const folders = [...(known?.folders ?? []).filter((each) => each !== folder), folder];
    await this.write(datasetPath(this.workspace, dataset.id, '.index.gz'), index);
    await this.write(
      datasetPath(this.workspace, dataset.id, '.json'),
      JSON.stringify(storedDataset.parse({ ...dataset, folders })),
    );
  }

  /** The gzip of the index of records. @throws WaymarkError not_found */
  async index(id: string): Promise<Buffer> {
    try {
      return await readRegularFile(datasetPath(this.workspace, id, '.index.gz'), 'index', mostIndex);
    } catch (thrown) {
      if (!(thrown instanceof WaymarkError)) throw thrown;
      throw new WaymarkError(
        'not_found',
        `The workspace holds no index of dataset ${id.slice(0, 12)}. Export it again to compare it or to find its steps.`,
      );
    }
  }

  /** Its folder stays as it is. */
  forget(id: string): void {
    for (const end of ['.json', '.index.gz'] as const) {
      removeFile(this.workspace, 'datasets', datasetPath(this.workspace, id, end).slice(-64 - end.length));
    }
  }

  jobs(): Promise<StoredJob[]> {
    return this.readAll(/^job-(.+)\.json$/, storedJob);
  }

  async keepJob(job: StoredJob): Promise<void> {
    await this.write(exportJobPath(this.workspace, job.id), JSON.stringify(job));
  }

  dropJob(id: string): void {
    exportJobPath(this.workspace, id);
    removeFile(this.workspace, 'datasets', `job-${id}.json`);
  }

  private async write(path: string, data: string | Uint8Array): Promise<void> {
    makeFoldersIn(this.workspace, 'datasets');
    await writeAtomically(path, data, modesIn(this.workspace).file);
  }

  private async readAll<S extends z.ZodType>(names: RegExp, schema: S): Promise<z.output<S>[]> {
    const folder = datasetsFolder(this.workspace);
    const all = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const read = all.filter((name) => names.test(name)).map((name) => this.read(join(folder, name), schema));
    return (await Promise.all(read)).flatMap((each) => (each === null ? [] : [each]));
  }

  /** Null for what is not there, or is no description of ours (another version's, or half of one from a broken disk). */
  private async read<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S> | null> {
    let text: string;
    try {
      text = (await readRegularFile(path, 'description', mostDescription)).toString();
    } catch (thrown) {
      // It is not there, or no file of ours has that name.
      if (thrown instanceof WaymarkError) return null;
      throw thrown;
    }
    try {
      return schema.safeParse(JSON.parse(text)).data ?? null;
    } catch (thrown) {
      if (thrown instanceof SyntaxError) return null;
      throw thrown;
    }
  }
}

/** What the window shows of it: the newest folder that still holds it. Sizes are compared, contents are left to `export verify`. */
export async function datasetView(stored: StoredDataset): Promise<DatasetView> {
  const { folders, compression: _, ...facts } = stored;
  const newest = [...folders].reverse();
  const states = await Promise.all(newest.map((folder) => stateOf(stored, folder)));
  const best = (['there', 'changed'] as const)
    .map((state) => states.indexOf(state))
    .find((index) => index >= 0);
  return { ...facts, folder: newest[best ?? 0] ?? '', state: states[best ?? 0] ?? 'missing' };
}

async function stateOf({ id, files }: StoredDataset, folder: string): Promise<DatasetView['state']> {
  const manifest = await readFile(join(folder, manifestFile)).catch(absent);
  if (manifest === null || createHash('sha256').update(manifest).digest('hex') !== id) return 'missing';
  for (const { path, bytes } of files) {
    const found = await stat(join(folder, path)).catch(absent);
    if (found === null || !found.isFile() || found.size !== bytes) return 'changed';
  }
  return 'there';
}

function absent(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR', 'ELOOP'].includes(error.code ?? '')) return null;
  throw error;
}
