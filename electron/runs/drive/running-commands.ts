import type { RunningCommand, SessionView } from '@shared/contract/views';
import type { Computer, SessionInfo } from '../../computer/port';
import type { StoreReader } from '../../store/api';
import type { EngineOptions } from '../engine-options';
import { connect, disposeAll } from '../start/connect';
import type { Place } from '../start/places';

/** How long a computer is asked before what the store knows is taken, ms. */
const ASK_MS = 2_000;
/** Longest text of a command. */
const MOST_TEXT = 120;

export interface RunningDeps {
  reader: Pick<StoreReader, 'sessions'>;
  run: string;
  places: readonly Place[];
  /** Computers this process is connected to for the run; those it does not name are known from the store only. */
  computers: ReadonlyMap<string, Computer>;
}

/**
 * Commands of the run that go on by themselves: what its computers say now where this process drives the run, else
 * what they said last. A computer that is away counts as it was last seen; nothing is thrown for it.
 */
export async function runningCommands(deps: RunningDeps): Promise<RunningCommand[]> {
  const kept = await deps.reader.sessions(deps.run);
  const found = await Promise.all(
    deps.places.map(async ({ name, kind, host }) => {
      const known = kept.filter(({ computer }) => computer === name);
      const computer = deps.computers.get(name);
      const live = computer === undefined ? null : await askedInTime(computer, known);
      const there = live ?? known.filter(({ state }) => goesOn(state)).map(lastSeen);
      return there.map((each) => ({
        ...each,
        computer: name,
        host: kind === 'local' ? null : (host ?? name),
      }));
    }),
  );
  return found.flat();
}

/** The same of a run that nobody drives: this machine's sessions are asked all the same, hosts count as they were last seen. */
export async function runningHere(
  options: Pick<EngineOptions, 'hosts' | 'resourcesDir' | 'sessionsDir' | 'store'>,
  run: string,
  places: readonly Place[],
): Promise<RunningCommand[]> {
  const computers = connect(
    options,
    run,
    places.filter(({ kind }) => kind === 'local'),
  );
  try {
    return await runningCommands({ reader: options.store.reader, run, places, computers });
  } finally {
    await disposeAll(computers);
  }
}

/** `"python train.py" keeps running in session train on worker (gpu-03).` for each; '' when nothing does. */
export function keepsRunning(commands: readonly RunningCommand[]): string {
  return commands
    .map(({ computer, host, session, command, live }) => {
      const what = command === null ? 'A command' : `"${command}"`;
      const place = host === null || host === computer ? computer : `${computer} (${host})`;
      const where = `session ${session} on ${place}`;
      return live ? `${what} keeps running in ${where}.` : `${what} ran in ${where} when last seen.`;
    })
    .join(' ');
}

type Found = Omit<RunningCommand, 'computer' | 'host'>;

/** Whether something runs in a session of this state. */
export function goesOn(state: SessionView['state']): boolean {
  return state === 'busy' || state === 'waiting' || state === 'interactive';
}

function lastSeen({ session, command }: SessionView): Found {
  return { session, command, since: null, live: false };
}

/** Null when the computer does not answer, in time or at all. */
async function askedInTime(computer: Computer, known: readonly SessionView[]): Promise<Found[] | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ASK_MS, null);
  });
  try {
    // Whatever the reason, a computer that cannot say what runs on it must not keep a run from resting.
    const asked = runningOn(computer, known).catch(() => null);
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function runningOn(computer: Computer, known: readonly SessionView[]): Promise<Found[]> {
  const sessions = await computer.sessions.list();
  const found = await Promise.all(
    sessions.filter(({ alive }) => alive).map((session) => commandOf(computer, session, known)),
  );
  return found.flat();
}

async function commandOf(
  computer: Computer,
  { name, id }: SessionInfo,
  known: readonly SessionView[],
): Promise<Found[]> {
  const { state, command, foreground } = await computer.sessions.state(name);
  if (!goesOn(state)) {
    return [];
  }
  const text = known.find(({ uid }) => uid === id)?.command ?? foreground[0]?.command ?? null;
  const since = command?.startedAt === undefined ? null : Math.round(command.startedAt);
  return [{ session: name, command: text === null ? null : text.slice(0, MOST_TEXT), since, live: true }];
}
