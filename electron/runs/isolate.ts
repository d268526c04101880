import { join } from 'node:path';
import { WaymarkError } from '@shared/errors';
import type { TaskSpec } from '@shared/task';
import { bubblewrapPath, findIsolation } from '../computer/local/sandbox/bubblewrap';
import { type LocalSandbox, localSandbox } from '../computer/local/sandbox/local-sandbox';
import { probeSandbox, probes } from '../computer/local/sandbox/probes';
import { runFolder } from '../files/workspace-paths';
import { workspaceRoot } from '../task/workspace-root';
import type { Place } from './places';

/**
 * The places with those on this machine in a sandbox: what runs there for the agent sees the run's own folders, the folders that
 * the task links to (read-only) and the system's programs. @throws WaymarkError unsupported, with why this machine has none
 */
export async function isolatePlaces(spec: TaskSpec, places: readonly Place[]): Promise<Place[]> {
  const local = places.filter(({ kind }) => kind === 'local');
  if (local.length === 0) return [...places];
  const found = await findIsolation();
  if (found.kind === 'none') {
    throw new WaymarkError(
      'unsupported',
      `Local sessions cannot be isolated: ${found.why}. Install it (apt-get install bubblewrap), or start the run without --isolated: then the agent can read whatever you can.`,
    );
  }
  return places.map((place) => {
    if (place.kind !== 'local') return place;
    const links = spec.computers.find(({ name }) => name === place.name)?.setup.link ?? [];
    const folders = links.map(({ from }) => ({ path: from, write: false }));
    return { ...place, isolation: found.kind, ...(folders.length === 0 ? {} : { folders }) };
  });
}

/** The sandbox of a place; undefined where it has none. `folder`: the run's own. @throws WaymarkError unsupported */
export function sandboxOf(
  { name, kind, isolation, folders = [] }: Place,
  folder: string,
): LocalSandbox | undefined {
  if (kind !== 'local' || isolation === undefined) return undefined;
  const program = bubblewrapPath();
  if (program === undefined) {
    throw new WaymarkError(
      'unsupported',
      `The sessions of ${name} are isolated by bubblewrap, which is not installed here. Install it (apt-get install bubblewrap), then try again.`,
    );
  }
  return localSandbox(program, {
    work: workspaceRoot(folder),
    home: join(folder, 'home'),
    temporary: join(folder, 'tmp'),
    folders,
    network: true,
  });
}

/** Tries to get out of every sandbox of the run, before it starts or goes on. @throws WaymarkError refused, with what succeeded */
export async function refuseHoles(workspace: string, run: string, places: readonly Place[]): Promise<void> {
  for (const place of places) {
    const sandbox = sandboxOf(place, runFolder(workspace, run));
    if (sandbox === undefined) continue;
    const { view } = sandbox;
    const escaped = await probeSandbox({ command: sandbox.command(), view, workspace, run });
    if (escaped.length === 0) continue;
    throw new WaymarkError(
      'refused',
      `The sandbox of ${place.name} has holes: what runs in it can ${escaped.map((probe) => probes[probe]).join('; can ')}. The run was not started. Close them, or start a run without --isolated.`,
    );
  }
}
