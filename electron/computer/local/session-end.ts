import type { SessionProcess, SignalOutcome } from '../port';
import type { LocalSession } from './local-session';
import type { ProcessRow } from './process-table';
import { sendSignal } from './session-processes';

const roundMs = 30;
/** A shell loop (`while :; do sleep 1; done`) outlives its children: after this it is interrupted itself. */
const shellLoopMs = 200;
const defaultGraceMs = 3000;
const closeGraceMs = 300;
const closeLimitMs = 5000;

/** See `SessionHost.signal`. */
export function signalSession(
  session: LocalSession,
  signal: 'INT' | 'TERM' | 'KILL',
  graceMs = defaultGraceMs,
): Promise<SignalOutcome> {
  return signal === 'INT'
    ? interruptForeground(session, graceMs)
    : signalAll(session, `SIG${signal}`, graceMs);
}

async function interruptForeground(session: LocalSession, graceMs: number): Promise<SignalOutcome> {
  const started = performance.now();
  if (await quiet(session)) return { signalled: [], remaining: [] };
  const signalled = await session.processes.describe(await foregroundOthers(session));
  await interrupt(session);
  while (!(await quiet(session)) && performance.now() - started < graceMs) await pause(session);
  const remaining = (await quiet(session)) ? [] : await foregroundOthers(session);
  return { signalled, remaining: await session.processes.describe(remaining) };
}

async function signalAll(
  session: LocalSession,
  signal: 'SIGTERM' | 'SIGKILL',
  graceMs: number,
): Promise<SignalOutcome> {
  const started = performance.now();
  const signalled = new Map<number, SessionProcess>();
  for (;;) {
    const targets = await session.processes.started();
    const elapsed = performance.now() - started;
    if ((targets.length === 0 && (await quiet(session))) || elapsed >= graceMs) {
      return { signalled: [...signalled.values()], remaining: await session.processes.describe(targets) };
    }
    const fresh = targets.filter((row) => !signalled.has(row.pid));
    // Described first: a dead process has no command line.
    for (const process of await session.processes.describe(fresh)) signalled.set(process.pid, process);
    for (const row of signal === 'SIGKILL' ? targets : fresh) {
      sendSignal(row.pid, signal);
      // A stopped process acts on a signal only when it goes on.
      if (row.stat === 'T') sendSignal(row.pid, 'SIGCONT');
    }
    if (elapsed > shellLoopMs && !(await quiet(session))) await interrupt(session);
    await pause(session);
  }
}

/** Nothing runs in the foreground, or there is no shell any more. */
async function quiet(session: LocalSession): Promise<boolean> {
  const { state } = await session.state();
  return state === 'idle' || state === 'ended' || state === 'lost';
}

/** What Ctrl-C does, whatever mode the terminal is in. */
async function interrupt(session: LocalSession): Promise<void> {
  const shell = await session.processes.shell();
  if (shell && shell.foreground > 1) sendSignal(-shell.foreground, 'SIGINT');
}

async function foregroundOthers(session: LocalSession): Promise<ProcessRow[]> {
  const shell = await session.processes.shell();
  if (!shell || shell.foreground === shell.group) return [];
  return (await session.processes.started()).filter((row) => row.group === shell.foreground);
}

async function pause(session: LocalSession): Promise<void> {
  const round = new AbortController();
  const timer = setTimeout(() => round.abort(), roundMs);
  await session.log.changed(round.signal);
  clearTimeout(timer);
}

/**
 * Ends the shell and all it started: hang-up first, so that programs can tidy up, then by force. When it returns, no process
 * of the session is left, its supervisor included.
 */
export async function endSession(session: LocalSession): Promise<void> {
  const { processes, meta, files } = session;
  const started = performance.now();
  const first = await processes.shell();
  if (first) {
    for (const row of await processes.started()) sendSignal(row.pid, row.stat === 'T' ? 'SIGCONT' : 'SIGHUP');
    sendSignal(meta.shell, 'SIGHUP');
  }
  for (;;) {
    const [shell, others, held] = await Promise.all([
      processes.shell(),
      processes.started(),
      processes.supervisorRuns(),
    ]);
    if (!shell && others.length === 0 && !held && !(await files.listened())) return;
    const elapsed = performance.now() - started;
    if (elapsed > closeGraceMs || !first) {
      for (const row of others) sendSignal(row.pid, 'SIGKILL');
      if (shell) sendSignal(meta.shell, 'SIGKILL');
    }
    if (elapsed > closeLimitMs) {
      // A full disk can hold it for ever.
      if (held) sendSignal(meta.supervisor, 'SIGKILL');
      if (elapsed > closeLimitMs * 2) return;
    }
    await pause(session);
  }
}
