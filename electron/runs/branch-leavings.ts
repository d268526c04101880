import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { WaymarkError } from '@shared/errors';
import { z } from 'zod';
import type { Store } from '../store/api';
import { storeFailure } from '../store/database';
import type { Cleaned, HostSessions } from './clean-sessions';
import { type Ground, hostFolder } from './ground';
import type { Place } from './places';
import { runFolder } from './run-folder';

/** Stands in a run's folder while a branch is being made: without its log the folder, and what lies on hosts, is a leaving. */
const MARKER = 'branching.json';

const markerSchema = z.object({
  pid: z.int(),
  machine: z.string(),
  /** Computers of kind ssh, as `cleanSessions` takes them. */
  hosts: z.array(
    z.object({
      run: z.string(),
      place: z.object({
        name: z.string(),
        kind: z.enum(['local', 'ssh']),
        host: z.string().optional(),
        transport: z.enum(['ssh2', 'openssh']).optional(),
      }),
      folder: z.string().nullable(),
    }),
  ),
});

/** What a branch has on hosts: its sessions, and the folders made for it once the ground is laid. */
export function branchHosts(run: string, places: readonly Place[], ground: Ground | null): HostSessions[] {
  const roots = new Map(ground?.probed?.computers.map(({ name, root }) => [name, root]));
  return places
    .filter(({ kind }) => kind === 'ssh')
    .map((place) => {
      const root = roots.get(place.name) ?? ground?.root ?? '';
      return { run, place, folder: root.endsWith(hostFolder(run)) ? root : null };
    });
}

/** @throws WaymarkError disk_full, read_only */
export async function markBranching(
  store: Store,
  run: string,
  hosts: readonly HostSessions[],
): Promise<void> {
  const folder = runFolder(store.folder, run);
  const marker = { pid: process.pid, machine: hostname(), hosts };
  try {
    await makeFolder(dirname(folder));
    await makeFolder(folder);
    await writeFile(join(folder, MARKER), JSON.stringify(marker));
  } catch (thrown) {
    throw storeFailure(thrown, `the folder ${folder}`, store.folder);
  }
}

/** One at a time: where no file can be made, a recursive `mkdir` says that the folder above is missing. */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** The branch has its log: nothing of it is a leaving any more. */
export async function unmarkBranching(store: Store, run: string): Promise<void> {
  await rm(join(runFolder(store.folder, run), MARKER), { force: true });
}

type CleanSessions = (
  alive: { has(run: string): boolean },
  hosts: readonly HostSessions[],
) => Promise<Cleaned>;

/** Takes away what was made for a branch that came to nothing; a host that is away keeps its part. */
export async function dropBranch(
  store: Store,
  run: string,
  hosts: readonly HostSessions[],
  cleanSessions: CleanSessions,
): Promise<void> {
  const { folders } = await cleanSessions({ has: (each) => each !== run }, hosts);
  for (const folder of [...folders, runFolder(store.folder, run)]) {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Takes away what an application that was killed left of branches it was making. */
export async function sweepBranches(store: Store, cleanSessions: CleanSessions): Promise<void> {
  for (const run of await folderNames(join(store.folder, 'runs'))) {
    const text = await readOrNull(join(runFolder(store.folder, run), MARKER));
    if (text === null) continue;
    const marker = markerSchema.safeParse(jsonOrNull(text)).data;
    if (marker !== undefined && marker.machine === hostname() && isAlive(marker.pid)) continue;
    if (await isRun(store, run)) await unmarkBranching(store, run);
    else await dropBranch(store, run, marker?.hosts ?? [], cleanSessions);
  }
}

async function isRun(store: Store, run: string): Promise<boolean> {
  try {
    await store.reader.run(run);
    return true;
  } catch (error) {
    if (error instanceof WaymarkError && error.code === 'not_found') return false;
    throw error;
  }
}

async function folderNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(nothingThere);
  return (entries ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

const readOrNull = (path: string) => readFile(path, 'utf8').catch(nothingThere);

function nothingThere(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

/** A marker that was cut short says nothing. */
function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
