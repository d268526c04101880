import { readdir } from 'node:fs/promises';
import { isId } from '@shared/contract/id';
import { ComputerUnavailable } from '../../computer/failures';
import type { HostComputer, Hosts } from '../../computer/hosts';
import { LocalComputer } from '../../computer/local/local-computer';
import type { SessionHost } from '../../computer/port';
import { spoolFolder } from '../../files/workspace-paths';
import type { StoreReader } from '../../store/api';
import type { EngineOptions } from '../engine-options';
import { reach } from '../start/connect';
import { isHostFolder } from '../start/ground';
import type { Place } from '../start/places';

/** What became of sessions that nobody needs any more. */
export interface Cleaned {
  closed: number;
  /** On this machine. */
  folders: string[];
  /** Computers whose sessions may go on, and why. */
  notReached: { run: string; computer: string; host: string; message: string }[];
}

/** The sessions of one run on one host. */
export interface HostSessions {
  run: string;
  place: Place;
  /** Folder there that was made for the run; null when there is none, or when it is to stay. */
  folder: string | null;
}

/** Creation, context and what the probe found are the first events of a run. */
const CREATION_EVENTS = 3;

/** The hosts a run has sessions on, with the folders there that were made for it alone. @throws WaymarkError not_found */
export async function hostsOf(reader: Pick<StoreReader, 'events'>, run: string): Promise<HostSessions[]> {
  const [first, ...more] = await reader.events(run, 1, CREATION_EVENTS);
  if (first?.kind !== 'run.created') return [];
  const { computers, workspaceRoot } = first.body;
  const probed = more.find((event) => event.kind === 'workspace.probed')?.body;
  const roots = new Map(probed?.computers.map(({ name, root }) => [name, root]));
  return computers
    .filter(({ kind }) => kind === 'ssh')
    .map((place) => {
      const root = roots.get(place.name) ?? workspaceRoot;
      // Named after the run: nobody else made it. A folder that the task chose stays.
      return { run, place, folder: isHostFolder(root, run) ? root : null };
    });
}

/** Closes what is left on this machine; `alive` runs keep theirs. */
export async function cleanLocal(
  { sessionsDir, resourcesDir }: Pick<EngineOptions, 'sessionsDir' | 'resourcesDir'>,
  alive: Pick<ReadonlySet<string>, 'has'>,
): Promise<{ closed: number; folders: string[] }> {
  const names = await readdir(sessionsDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  let closed = 0;
  const folders: string[] = [];
  // Whatever else lies there is not of a run.
  for (const name of names.filter((each) => isId(each) && !alive.has(each))) {
    const folder = spoolFolder(sessionsDir, name);
    const computer = new LocalComputer({ resourcesDir, sessionsDir: folder });
    try {
      closed += await closeAll(computer.sessions);
    } finally {
      await computer.dispose();
    }
    folders.push(folder);
  }
  return { closed, folders };
}

async function closeAll(sessions: SessionHost): Promise<number> {
  let closed = 0;
  for (const { name } of await sessions.list()) {
    await sessions.close(name);
    closed += 1;
  }
  return closed;
}

/** The same on hosts that can be reached now; one that cannot is asked once and reported for each of its runs. */
export async function cleanHosts(
  hosts: Hosts,
  wanted: readonly HostSessions[],
): Promise<Pick<Cleaned, 'closed' | 'notReached'>> {
  const away = new Map<string, string>();
  const notReached: Cleaned['notReached'] = [];
  let closed = 0;
  for (const { run, place, folder: named } of wanted) {
    // Whoever asked: a folder that was made for another run, or by somebody else, stays.
    const folder = named !== null && isHostFolder(named, run) ? named : null;
    const alias = place.host ?? place.name;
    const { name, transport = 'ssh2' } = place;
    const computer = hosts.computer({ name, alias, transport, namespace: run });
    try {
      const known = away.get(alias);
      if (known !== undefined) throw new ComputerUnavailable(name, known);
      await reach(hosts, computer);
      closed += await cleanOne(computer, folder);
    } catch (error) {
      if (!(error instanceof ComputerUnavailable)) throw error;
      away.set(alias, error.message);
      notReached.push({ run, computer: name, host: alias, message: error.message });
    } finally {
      await computer.dispose();
    }
  }
  return { closed, notReached };
}

async function cleanOne(computer: HostComputer, folder: string | null): Promise<number> {
  const closed = await closeAll(computer.sessions);
  const { clockOffsetMs } = await computer.probe();
  await computer.sessions.discardClosed(Date.now() + clockOffsetMs + 1);
  if (folder !== null && (await computer.files.stat(folder))) {
    await computer.files.remove(folder, { recursive: true });
  }
  return closed;
}
