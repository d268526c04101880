import type { SessionProcess, SessionState, SignalOutcome } from '../port';
import type { StartedProcess } from './backend';
import { shownCommand } from './classify';
import type { BackedSession } from './session';

const roundMs = 30;
/** A shell loop (`while :; do sleep 1; done`) outlives its children: after this it is interrupted itself. */
const shellLoopMs = 200;
const defaultGraceMs = 3000;
const closeGraceMs = 300;
const closeLimitMs = 5000;

/** See `SessionHost.signal`. */
export function signalSession(
  session: BackedSession,
  signal: 'INT' | 'TERM' | 'KILL',
  graceMs = defaultGraceMs,
): Promise<SignalOutcome> {
  return signal === 'INT' ? interruptForeground(session, graceMs) : signalAll(session, signal, graceMs);
}

async function interruptForeground(session: BackedSession, graceMs: number): Promise<SignalOutcome> {
  const started = performance.now();
  const first = (await session.judge()).state;
  if (quiet(first)) return { signalled: [], remaining: [] };
  await interrupt(session);
  for (;;) {
    await pause(session);
    const { state } = await session.judge();
    if (quiet(state)) return { signalled: first.foreground, remaining: [] };
    if (performance.now() - started >= graceMs) {
      return { signalled: first.foreground, remaining: state.foreground };
    }
  }
}

async function signalAll(
  session: BackedSession,
  signal: 'TERM' | 'KILL',
  graceMs: number,
): Promise<SignalOutcome> {
  const started = performance.now();
  const signalled = new Map<number, SessionProcess>();
  let ranBefore = false;
  for (;;) {
    const rows = await session.backend.started(session.meta);
    // Looked at after the processes: what runs once the command is over was not started by it.
    const { state } = await session.judge();
    const running = session.index.running !== undefined;
    ranBefore ||= running;
    const targets = ranBefore && !running ? withoutPromptCommands(session, rows, signalled) : rows;
    const elapsed = performance.now() - started;
    if ((targets.length === 0 && quiet(state)) || elapsed >= graceMs) {
      return { signalled: [...signalled.values()], remaining: targets.map(described) };
    }
    const fresh = targets.filter((row) => !signalled.has(row.pid));
    for (const row of fresh) signalled.set(row.pid, described(row));
    await kill(session, signal === 'KILL' ? targets : fresh, signal);
    // A shell on its way to the prompt needs no second one.
    if (elapsed > shellLoopMs && !quiet(state) && !session.index.ending) await interrupt(session);
    await pause(session);
  }
}

/** Leaves out what the shell itself starts on its way to the prompt (`PROMPT_COMMAND`): new, and below it without a signalled one between. */
function withoutPromptCommands(
  session: BackedSession,
  rows: readonly StartedProcess[],
  signalled: ReadonlyMap<number, SessionProcess>,
): StartedProcess[] {
  const parents = new Map(rows.map(({ pid, parent }) => [pid, parent]));
  return rows.filter(({ pid }) => {
    let at: number | undefined = pid;
    while (at !== undefined && at !== session.meta.shell && !signalled.has(at)) at = parents.get(at);
    return at !== session.meta.shell;
  });
}

/** Nothing runs in the foreground, or there is no shell any more. */
function quiet({ state }: SessionState): boolean {
  return state === 'idle' || state === 'ended' || state === 'lost';
}

function described({ pid, stat, command }: StartedProcess): SessionProcess {
  return { pid, stat, command: shownCommand(command) };
}

async function kill(
  session: BackedSession,
  rows: readonly Pick<StartedProcess, 'pid' | 'stat'>[],
  signal: 'TERM' | 'KILL',
): Promise<void> {
  if (rows.length === 0) return;
  await session.backend.kill(
    rows.flatMap(({ pid, stat }) =>
      // A stopped process acts on a signal only when it goes on.
      stat === 'T'
        ? [
            { pid, signal },
            { pid, signal: 'CONT' as const },
          ]
        : [{ pid, signal }],
    ),
  );
}

/** What Ctrl-C does, whatever mode the terminal is in. */
async function interrupt(session: BackedSession): Promise<void> {
  const { shell } = await session.backend.holders(session.meta);
  if (shell && shell.foreground > 1) {
    await session.backend.kill([{ pid: -shell.foreground, signal: 'INT' }]);
  }
}

async function pause(session: BackedSession): Promise<void> {
  const round = new AbortController();
  const timer = setTimeout(() => round.abort(), roundMs);
  await session.changed(round.signal);
  clearTimeout(timer);
}

/** What is known of a session once nothing of it runs any more. */
export interface SessionEnd {
  exitCode: number | null;
  endOffset: number;
}

/**
 * Ends the shell and all it started: hang-up first, so that programs can tidy up, then by force. When it returns, no process
 * of the session is left, its supervisor included.
 */
export async function endSession(session: BackedSession): Promise<SessionEnd> {
  const { backend, meta } = session;
  const started = performance.now();
  let look = await session.mustLook();
  // After a restart of the host its numbers belong to others.
  if (look.rebooted) return { exitCode: look.exitCode ?? null, endOffset: look.size };
  const first = await hangUp(session);
  for (;;) {
    const [{ shell, supervisor }, others] = await Promise.all([backend.holders(meta), backend.started(meta)]);
    // Looked at after the holders: who saw them gone sees all that they wrote.
    look = (await session.look()) ?? { ...look, life: 'lost' };
    const elapsed = performance.now() - started;
    const gone = !shell && others.length === 0 && !supervisor && look.life !== 'alive';
    if (gone || elapsed > closeLimitMs * 2) {
      return { exitCode: look.exitCode ?? null, endOffset: look.size };
    }
    if (elapsed > closeGraceMs || !first) {
      await kill(session, shell ? [...others, shell] : others, 'KILL');
    }
    // A full disk can hold it for ever.
    if (elapsed > closeLimitMs && supervisor) await backend.kill([{ pid: meta.supervisor, signal: 'KILL' }]);
    await pause(session);
  }
}

/** Returns whether the shell still lived. */
async function hangUp(session: BackedSession): Promise<boolean> {
  const { backend, meta } = session;
  const [{ shell }, others] = await Promise.all([backend.holders(meta), backend.started(meta)]);
  if (!shell) return false;
  await backend.kill([
    ...others.map(({ pid, stat }) => ({ pid, signal: stat === 'T' ? ('CONT' as const) : ('HUP' as const) })),
    { pid: meta.shell, signal: 'HUP' },
  ]);
  return true;
}
