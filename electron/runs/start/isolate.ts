import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { TaskSpec } from '@shared/contract/task';
import { dataFolder } from '../../application-folders';
import { bubblewrapPath, type Isolation } from '../../computer/local/sandbox/bubblewrap';
import { type LocalSandbox, localSandbox } from '../../computer/local/sandbox/local-sandbox';
import { probeSandbox, probes } from '../../computer/local/sandbox/probes';
import type { SharedFolder } from '../../computer/local/sandbox/sandbox-view';
import { refuseNames, refusePrivate } from '../../computer/local/sandbox/shown-folders';
import { runFolder } from '../../files/workspace-paths';
import { workspaceRoot } from '../../task/local-site';
import type { Place } from './places';

/** Who said that nothing needs to keep local sessions apart: a person who was asked, or the demo, whose commands are known. */
export type Agreed = 'person' | 'demo';

/** How a run that is started is to be kept apart from this machine. */
export interface IsolationWish {
  /** Of what runs on this machine. Default: `sandbox`. */
  isolation?: 'sandbox' | 'none';
  /** Folders of this machine that the sandbox shows at their own paths, besides the run's own and those the task links to. */
  show?: readonly SharedFolder[];
  /** Who agreed that it may be started without isolation; absent: nobody, and then it is not. */
  agreed?: Agreed | undefined;
}

export interface IsolationOrder {
  spec: TaskSpec;
  places: readonly Place[];
  workspace: string;
  run: string;
  findIsolation(): Promise<Isolation>;
}

/**
 * The places with those on this machine in a sandbox: what runs there for the agent sees the run's own folders, the folders that
 * the task links to (read-only), those a person named, and the system's programs; it has a network where the task says so. That is the rule. Where there is no sandbox that holds, or a person
 * wants none, the places say who agreed to that.
 * @throws WaymarkError not_isolated, with why: somebody has to be asked; refused, bad_input for a folder that is shown to nobody
 */
export async function isolatePlaces(
  { isolation, agreed, show = [] }: IsolationWish,
  order: IsolationOrder,
): Promise<Place[]> {
  const { places } = order;
  if (!places.some(isHere)) return [...places];
  if (isolation === 'none' && show.length > 0) {
    throw new WaymarkError(
      'bad_input',
      'Without isolation the agent sees all of this computer, so there is nothing to show to it. Leave out --show, or --isolation none.',
    );
  }
  const tried = isolation === 'none' ? { why: '' } : await sandboxed(order, show);
  if ('places' in tried) return tried.places;
  if (agreed === undefined) throw notIsolated(places, tried.why);
  return places.map((place) => (isHere(place) ? { ...place, unisolatedBy: agreed } : place));
}

const isHere = ({ kind }: Place): boolean => kind === 'local';

/** The places with their sandboxes, or, in sentences, why this machine has none that holds. */
async function sandboxed(
  { spec, places, workspace, run, findIsolation }: IsolationOrder,
  show: readonly SharedFolder[],
): Promise<{ places: Place[] } | { why: string }> {
  const found = await findIsolation();
  if (found.kind === 'none') return { why: `${found.why}.` };
  const apart = places.map((place) => {
    if (!isHere(place)) return place;
    const computer = spec.computers.find(({ name }) => name === place.name);
    const links = (computer?.setup.link ?? []).map(({ from }) => ({ path: from, write: false }));
    const named = show.map(({ path, write }) => ({ path: withoutLinks(path), write }));
    const folders = [...links, ...named].map((folder) => ({ ...folder, source: withoutLinks(folder.path) }));
    return {
      ...place,
      isolation: found.kind,
      ...(computer?.internet === true ? {} : { network: 'none' as const }),
      ...(folders.length === 0 ? {} : { folders }),
    };
  });
  try {
    const why = await holesOf(workspace, run, apart);
    return why === null ? { places: apart } : { why };
  } catch (thrown) {
    if (!(thrown instanceof WaymarkError) || thrown.code !== 'unsupported') throw thrown;
    // A mistake in what is to be shown is to be mended, and no reason to go without a sandbox.
    if (apart.some(({ folders = [] }) => folders.length > 0))
      throw new WaymarkError('refused', thrown.message);
    // A sandbox that cannot be put together is none.
    return { why: thrown.message };
  }
}

/** Links are followed once, before what they lead to is looked at, and not at every session: an agent may exchange them. */
function withoutLinks(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function notIsolated(places: readonly Place[], why: string): WaymarkError {
  const names = places.filter(isHere).map(({ name }) => name);
  return new WaymarkError(
    'not_isolated',
    [
      `The agent's commands would not be isolated from the rest of this computer (${names.join(', ')}): they could read and change whatever you can.`,
      'The run was not started. Install bubblewrap (apt-get install bubblewrap) if it is missing. To continue without isolation, pass --isolation none on the command line, or agree in the window when it asks.',
    ].join(' '),
    why,
  );
}

/**
 * A run that is not isolated goes on only if somebody agreed; logs of the time before that say of nobody.
 * @throws WaymarkError not_isolated
 */
export function refuseUnasked(places: readonly Place[]): void {
  const open = places.filter(
    (place) => isHere(place) && place.isolation === undefined && place.unisolatedBy === undefined,
  );
  if (open.length > 0)
    throw notIsolated(open, 'The run was started without isolation, and its log does not say who agreed.');
}

/** The places of a branch; with another model, what was said of the demo's recording holds no longer. @throws WaymarkError not_isolated */
export function branchPlaces(places: readonly Place[], otherModel: boolean, agreed: boolean): Place[] {
  const kept = places.map(({ unisolatedBy, ...place }): Place => {
    const holds = unisolatedBy === 'person' || (unisolatedBy === 'demo' && !otherModel);
    if (holds) return { ...place, unisolatedBy };
    return agreed && isHere(place) && place.isolation === undefined
      ? { ...place, unisolatedBy: 'person' }
      : place;
  });
  refuseUnasked(kept);
  return kept;
}

/** Nobody was asked about a run of the demo, because its model is known. @throws WaymarkError refused */
export function refuseOtherThanDemo(places: readonly Place[]): void {
  if (!places.some(({ unisolatedBy }) => unisolatedBy === 'demo')) return;
  throw new WaymarkError(
    'refused',
    'This run of the demo is not isolated, so it follows its recording only. Start a run of your own to ask another model.',
  );
}

/** The sandbox of a place; undefined where it has none. `folder`: the run's own. @throws WaymarkError unsupported */
export function sandboxOf(
  { name, kind, isolation, network, folders = [] }: Place,
  folder: string,
): LocalSandbox | undefined {
  if (kind !== 'local' || isolation === undefined) return undefined;
  const program = bubblewrapPath();
  if (program === undefined) {
    throw new WaymarkError(
      'unsupported',
      `The sessions of ${name} are isolated by bubblewrap, which is not installed here. Install it (apt-get install bubblewrap), then try again. A run that was started isolated never continues without isolation.`,
    );
  }
  const view = {
    work: workspaceRoot(folder),
    home: join(folder, 'home'),
    temporary: join(folder, 'tmp'),
    folders,
    network: network === undefined,
  };
  const places = { data: dataFolder(process.env, process.platform), workspace: dirname(dirname(folder)) };
  return localSandbox(program, view, ({ source, write }) => refuseNames(source, places, write));
}

/** Tries to get out of every sandbox of the run before it goes on. @throws WaymarkError refused, with what succeeded */
export async function refuseHoles(workspace: string, run: string, places: readonly Place[]): Promise<void> {
  const why = await holesOf(workspace, run, places);
  if (why === null) return;
  throw new WaymarkError(
    'refused',
    `${why} The run was started isolated and does not continue without isolation. Fix the sandbox, or start a new run with --isolation none.`,
  );
}

/** What is wrong with the sandboxes of the run, in sentences; null when they hold. */
async function holesOf(workspace: string, run: string, places: readonly Place[]): Promise<string | null> {
  for (const place of places) {
    const sandbox = sandboxOf(place, runFolder(workspace, run));
    if (sandbox === undefined) continue;
    const { view } = sandbox;
    // At every start and resume: what stands at that path may be another folder now.
    const data = dataFolder(process.env, process.platform);
    for (const { path, write } of view.folders) refusePrivate(path, { data, workspace }, write);
    const tried = await probeSandbox({ command: sandbox.command(), view, workspace, run });
    if (tried.kind === 'broken') {
      const { folders: _shown, ...bare } = place;
      const without = sandboxOf(bare, runFolder(workspace, run));
      if (view.folders.length > 0 && without !== undefined) {
        const order = { command: without.command(), view: without.view, workspace, run };
        if ((await probeSandbox(order)).kind === 'tried') {
          const paths = view.folders.map(({ path }) => path).join(', ');
          throw new WaymarkError(
            'refused',
            `The sandbox of ${place.name} does not start with what it is to show (${paths}): ${tried.said}.`,
          );
        }
      }
      return `The sandbox of ${place.name} did not start: ${tried.said}.`;
    }
    if (tried.escaped.length === 0) continue;
    const ways = tried.escaped.map((probe) => probes[probe]);
    return `The sandbox of ${place.name} has holes: what runs in it can ${ways.join('; can ')}.`;
  }
  return null;
}
