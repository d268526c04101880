import { readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { KnownComputer } from '@shared/contract/computers';
import { WaymarkError } from '@shared/contract/errors';
import { idSchema, isId } from '@shared/contract/id';
import { z } from 'zod';
import { inside } from '../files/inside';
import { makeFoldersIn, modesIn } from '../files/private';
import { readRegularFile } from '../files/regular-file';
import { removeAt, removeFile } from '../files/remove';
import { runFolder } from '../files/workspace-paths';
import type { Cleaned, HostSessions } from '../runs/sessions/clean-sessions';
import { type Ground, isHostFolder } from '../runs/start/ground';
import type { Place } from '../runs/start/places';
import type { Store } from '../store/api';
import { storeFailure } from '../store/file/database';

/** Stands in a run's folder while a branch is being made: without its log the folder, and what lies on hosts, is a leaving. */
const MARKER = 'branching.json';
/** One holds a few hosts. */
const MARKER_BYTES = 1024 * 1024;

const markerSchema = z.object({
  pid: z.int().positive(),
  machine: z.string(),
  /** Computers of kind ssh, as `cleanSessions` takes them. */
  hosts: z.array(
    z.object({
      run: idSchema,
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

type MarkedHost = z.infer<typeof markerSchema>['hosts'][number];

/** What a branch has on hosts: its sessions, and the folders made for it once the ground is laid. */
export function branchHosts(run: string, places: readonly Place[], ground: Ground | null): HostSessions[] {
  const roots = new Map(ground?.probed?.computers.map(({ name, root }) => [name, root]));
  return places
    .filter(({ kind }) => kind === 'ssh')
    .map((place) => {
      const root = roots.get(place.name) ?? ground?.root ?? '';
      return { run, place, folder: isHostFolder(root, run) ? root : null };
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
    makeFoldersIn(store.folder, 'runs', run);
    await writeFile(inside(folder, MARKER), JSON.stringify(marker), { mode: modesIn(store.folder).file });
  } catch (thrown) {
    throw storeFailure(thrown, `the folder ${folder}`, store.folder);
  }
}

/** The branch has its log: nothing of it is a leaving any more. */
export async function unmarkBranching(store: Store, run: string): Promise<void> {
  removeFile(store.folder, 'runs', run, MARKER);
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
    await removeAt(folder, { kind: 'folder' });
  }
}

/**
 * Takes away what an application that was killed left of branches it was making. A marker is a file that others may have written:
 * it is believed about the run whose folder it stands in, about this machine, about computers that the person `added`, and there
 * about the folder that `hostFolder` names for that run. What another machine was making stays.
 */
export async function sweepBranches(
  store: Store,
  cleanSessions: CleanSessions,
  added: readonly KnownComputer[],
): Promise<void> {
  const names = await folderNames(inside(store.folder, 'runs'));
  for (const run of names.filter(isId)) {
    const text = await markerOf(store.folder, run);
    if (text === null) continue;
    const marker = markerSchema.safeParse(jsonOrNull(text)).data;
    if (marker !== undefined && (marker.machine !== hostname() || isAlive(marker.pid))) continue;
    if (await isRun(store, run)) await unmarkBranching(store, run);
    else await dropBranch(store, run, believed(run, marker?.hosts ?? [], added), cleanSessions);
  }
}

function believed(
  run: string,
  hosts: readonly MarkedHost[],
  added: readonly KnownComputer[],
): HostSessions[] {
  return hosts.flatMap(({ run: of, place, folder }) => {
    const computer = added.find(({ alias }) => alias === (place.host ?? place.name));
    if (of !== run || place.kind !== 'ssh' || computer === undefined) return [];
    const { alias: host, transport } = computer;
    const ours = folder !== null && isHostFolder(folder, run) ? folder : null;
    return [{ run, place: { name: place.name, kind: 'ssh', host, transport }, folder: ours }];
  });
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

/** Null: there is none, or something that is no marker of ours is in its place: then nothing is known, and nothing is deleted. */
async function markerOf(workspace: string, run: string): Promise<string | null> {
  try {
    const path = inside(runFolder(workspace, run), MARKER);
    return (await readRegularFile(path, path, MARKER_BYTES, '')).toString('utf8');
  } catch (thrown) {
    if (!(thrown instanceof WaymarkError) || thrown.code === 'system_busy') throw thrown;
    return null;
  }
}

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
