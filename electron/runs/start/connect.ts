import { WaymarkError } from '@shared/contract/errors';
import { ComputerUnavailable } from '../../computer/failures';
import type { HostComputer, Hosts } from '../../computer/hosts';
import { LocalComputer } from '../../computer/local/local-computer';
import type { Computer } from '../../computer/port';
import { runFolder, spoolFolder } from '../../files/workspace-paths';
import type { EngineOptions } from '../engine-options';
import { sandboxOf } from './isolate';
import type { Place } from './places';

/** The computers of a run, by the names the agent uses. Nothing is connected yet. */
export function connect(
  {
    hosts,
    resourcesDir,
    sessionsDir,
    store,
  }: Pick<EngineOptions, 'hosts' | 'resourcesDir' | 'sessionsDir' | 'store'>,
  run: string,
  places: readonly Place[],
): Map<string, Computer> {
  return new Map(
    places.map((place): [string, Computer] => {
      const { name, kind, host, transport } = place;
      if (kind === 'local') {
        const sandbox = sandboxOf(place, runFolder(store.folder, run));
        return [
          name,
          new LocalComputer({ name, resourcesDir, sessionsDir: spoolFolder(sessionsDir, run), sandbox }),
        ];
      }
      if (host === undefined) {
        throw new WaymarkError('task_unsupported', `The log does not say which host ${name} is.`);
      }
      return [name, hosts.computer({ name, alias: host, transport: transport ?? 'ssh2', namespace: run })];
    }),
  );
}

export async function disposeAll(computers: ReadonlyMap<string, Computer>): Promise<void> {
  await Promise.all([...computers.values()].map((computer) => computer.dispose()));
}

/**
 * Connects to a host now; unlike `linked` it does not go on trying after the first try that fails, because a person
 * waits for the answer. @throws ComputerUnavailable with the reason
 */
export async function reach(hosts: Hosts, computer: HostComputer): Promise<void> {
  const stop = new AbortController();
  let unsubscribe: () => void = () => undefined;
  const refused = new Promise<never>((_, reject) => {
    unsubscribe = hosts.onHealth((changed) => {
      const health = changed.find(({ alias }) => alias === computer.alias);
      if (health?.state === 'down' || health?.state === 'blocked') {
        reject(new ComputerUnavailable(computer.name, health.message));
      }
    });
  });
  refused.catch(() => undefined);
  try {
    const linked = computer.linked(stop.signal);
    linked.catch(() => undefined);
    const { state } = hosts.health(computer.alias);
    if (state === 'down' || state === 'blocked') {
      hosts.retryNow(computer.alias);
    }
    await Promise.race([linked, refused]);
  } finally {
    unsubscribe();
    stop.abort(new Error('The host was reached, or it was not.'));
  }
}
