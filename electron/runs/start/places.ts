import type { KnownComputer } from '@shared/contract/computers';
import { hostAliasSchema } from '@shared/contract/computers';
import { WaymarkError } from '@shared/contract/errors';
import { approvalsFor, type ComputerSpec, type TaskSpec } from '@shared/contract/task';
import type { EventBody } from '@shared/log/events';
import type { Hosts } from '../../computer/hosts';
import { namesOf, overlap } from '../../computer/local/sandbox/mount-points';

/** Where a computer of the task is in one run: this machine, or a host reached over SSH. Kept in `run.created`. */
export type Place = EventBody<'run.created'>['computers'][number];

export interface PlacesOrder {
  spec: TaskSpec;
  /** Computer of the task → `local` or an alias; what is not named is where the task says. */
  chosen: Readonly<Record<string, string>>;
  /** `off`: nobody is asked. `task`: where the task says. `on`: as `task`, or everywhere when it says so nowhere. */
  approvals: 'on' | 'off' | 'task';
  /** Computer of the task → what a person chose for it, which nothing overrules. */
  chosenApprovals?: Readonly<Record<string, 'on' | 'off'>> | undefined;
  /** Hosts the person added. */
  known: readonly KnownComputer[];
  hosts: Pick<Hosts, 'resolve'>;
}

/**
 * Decides where each computer of the task is. A host that was not added is taken from the ssh configuration, with
 * the transport it needs, when a person chose it for this run: what a task package names is no choice of theirs.
 * @throws WaymarkError bad_input, refused, task_unsupported; ConnectFailure when the configuration cannot be read
 */
export async function choosePlaces(order: PlacesOrder): Promise<Place[]> {
  const { spec, chosen } = order;
  const names = spec.computers.map(({ name }) => name);
  const unknown = Object.keys(chosen).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new WaymarkError(
      'bad_input',
      `Task ${spec.id} has no computer "${unknown}". Its computers are: ${names.join(', ')}.`,
    );
  }
  const places = await Promise.all(spec.computers.map((computer) => placeOf(order, computer)));
  refuseTwice(spec, places);
  return askSomewhere(places, order.approvals).map((place) => ({
    ...place,
    approvals: order.chosenApprovals?.[place.name] ?? place.approvals ?? 'on',
  }));
}

async function placeOf(order: PlacesOrder, computer: ComputerSpec): Promise<Place> {
  const { spec, chosen, known, hosts } = order;
  const { name } = computer;
  const host = chosen[name] ?? computer.host;
  const approvals = approvalsFor(spec, computer);
  if (host === 'local') {
    // The task may have set another machine aside, but not this one.
    const moved = computer.host !== 'local';
    return { name, kind: 'local', approvals: moved ? (spec.approvals[name] ?? 'on') : approvals };
  }
  const alias = hostAliasSchema.safeParse(host);
  if (!alias.success) {
    throw new WaymarkError(
      'bad_input',
      `"${host}" cannot be the host of ${name}: it ${alias.error.issues[0]?.message}.`,
    );
  }
  const added = known.find((each) => each.alias === host)?.transport;
  if (added === undefined && chosen[name] === undefined) {
    throw new WaymarkError(
      'refused',
      `Task ${spec.id} wants ${name} on the host "${host}", which is not among your computers. Add it (computer add ${host}), or choose where ${name} is (--computer ${name}=${host}, or =local).`,
    );
  }
  const transport = added ?? ((await hosts.resolve(host)).needsOpenSsh.length > 0 ? 'openssh' : 'ssh2');
  return { name, kind: 'ssh', host, transport, approvals };
}

/** Two computers on one machine would have each other's sessions. */
function refuseTwice(spec: TaskSpec, places: readonly Place[]): void {
  const usable = new Set(spec.computers.flatMap(({ name, evaluator }) => (evaluator ? [] : [name])));
  const taken = new Map<string, string>();
  for (const place of places.filter(({ name }) => usable.has(name))) {
    const other = taken.get(machineOf(place));
    if (other !== undefined) {
      const machine = place.kind === 'local' ? 'This computer' : `The host ${place.host}`;
      throw new WaymarkError(
        'task_unsupported',
        `${machine} cannot be both ${other} and ${place.name} of task ${spec.id}. Choose another host for one of them.`,
      );
    }
    taken.set(machineOf(place), place.name);
  }
}

function askSomewhere(places: readonly Place[], approvals: PlacesOrder['approvals']): Place[] {
  const nowhere = approvals === 'on' && places.every((place) => place.approvals === 'off');
  return places.map((place) => ({
    ...place,
    approvals: approvals === 'off' ? 'off' : nowhere ? 'on' : (place.approvals ?? 'on'),
  }));
}

/** `local`, or the alias of the host. */
export function machineOf(place: Place): string {
  return place.kind === 'local' ? 'local' : (place.host ?? place.name);
}

/** The place of a computer; runs of the time before hosts could be chosen have them all here. */
export function placeNamed(places: readonly Place[], name: string): Place {
  return places.find((place) => place.name === name) ?? { name, kind: 'local' };
}

/**
 * Whether no command of the agent can reach an evaluator: its files, its keys, its log, what it judges by. True when each computer
 * that the agent commands
 * - is another machine than the one that evaluates: the driver's, or the computer that the task set aside for it; or
 * - is that machine, but its sessions run in a sandbox, and nothing the sandbox shows leads into `workspace`, where
 *   evaluations and pinned packages lie. (The sandbox shows of it only the run's own work folder, home and /tmp.)
 *
 * A session without a sandbox on that machine is the same user as the evaluator, so it can. This says nothing of files of the
 * agent that the evaluator itself runs: those run beside it, see `evaluatorSandbox`. Decided when a run is made, and kept in its log.
 */
export function evaluatorIsolated(spec: TaskSpec, places: readonly Place[], workspace: string): boolean {
  const evaluator = spec.computers.find((computer) => computer.evaluator);
  const evaluates = evaluator === undefined ? 'local' : machineOf(placeNamed(places, evaluator.name));
  return spec.computers.every(({ name, evaluator: own }) => {
    const place = placeNamed(places, name);
    return own || machineOf(place) !== evaluates || isShutOut(place, workspace);
  });
}

function isShutOut({ isolation, folders = [] }: Place, workspace: string): boolean {
  const kept = namesOf(workspace);
  const leadsThere = (path: string) => namesOf(path).some((name) => kept.some((each) => overlap(name, each)));
  return isolation !== undefined && !folders.some(({ path }) => leadsThere(path));
}

/** Folders of this machine that the task's local computers link to. */
export function linkedHere(spec: TaskSpec, places: readonly Place[]): string[] {
  return spec.computers
    .filter(({ name }) => placeNamed(places, name).kind === 'local')
    .flatMap(({ setup }) => setup.link.map(({ from }) => from));
}
