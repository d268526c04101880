import type { SessionProcess, SessionState } from '../port';

/** How the supervisors start a session's shell; a subshell that bash forks from it bears the same line. */
const started = /(?:^|\/)bash (?:--noediting )?--rcfile \S/;

/** The command line of a process as people and models may read it: how our own shell was started is nothing to them. */
export function shownCommand(command: string): string {
  return started.test(command) ? 'bash (part of the command)' : command;
}

/** What a process of the foreground group does right now. */
export type Blocked = 'terminal' | 'poll' | 'elsewhere' | 'running' | 'unknown';

export interface ForegroundProcess extends SessionProcess {
  isShell: boolean;
  blocked: Blocked;
}

/** Everything the verdict rests on; gathered by whoever can look at the host. */
export interface SessionFacts {
  life: 'alive' | 'ended' | 'lost';
  /** The host has restarted since. */
  rebooted: boolean;
  /** From the markers. */
  starting: boolean;
  atPrompt: boolean;
  /** A command has ended and the shell is on its way to the prompt. */
  ending: boolean;
  /** A command was sent and has not begun. */
  pending: boolean;
  /** Empty when nothing could be found out. */
  foreground: readonly ForegroundProcess[];
  terminal: { lineMode: boolean; echo: boolean } | undefined;
}

/**
 * Idle, busy, waiting for input and interactive, told apart by the last marker, the foreground process group, what it is
 * blocked in and the terminal's mode. Markers alone tell a prompt from `read -e`; the process table
 * alone tells `read` from a loop. What is not known is busy.
 */
export function classify(facts: SessionFacts): Pick<SessionState, 'state' | 'reason'> {
  if (facts.life === 'ended') return { state: 'ended', reason: 'The shell has exited.' };
  if (facts.life === 'lost') {
    const why = facts.rebooted ? 'the computer has restarted' : 'it was killed';
    return { state: 'lost', reason: `The process that held the terminal is gone: ${why}.` };
  }
  if (facts.starting) return { state: 'busy', reason: 'The shell is starting.' };
  if (facts.pending) return { state: 'busy', reason: 'A command was sent and is about to begin.' };
  if (facts.ending)
    return { state: 'busy', reason: 'The command has ended; the shell is returning to its prompt.' };
  const others = facts.foreground.filter((process) => !process.isShell);
  if (facts.atPrompt) {
    if (others.length === 0) return { state: 'idle', reason: 'The shell is at its prompt.' };
    return { state: 'busy', reason: `${describe(others)} in the foreground.` };
  }
  const reader = facts.foreground.find((process) => process.blocked === 'terminal');
  if (reader) {
    const what = reader.isShell ? 'The shell' : sentence(named([reader]));
    const secret = facts.terminal?.lineMode === true && !facts.terminal.echo;
    return {
      state: 'waiting',
      reason: `${what} is waiting for input from the terminal${secret ? ', without echo (a password?)' : ''}.`,
    };
  }
  const calm = facts.foreground.every(
    (process) => process.blocked === 'poll' || process.blocked === 'elsewhere',
  );
  const polls = facts.foreground.some((process) => process.blocked === 'poll');
  if (calm && polls && facts.terminal?.lineMode === false) {
    return {
      state: 'interactive',
      reason: `${sentence(named(facts.foreground))} ${facts.foreground.length === 1 ? 'reads' : 'read'} single keystrokes.`,
    };
  }
  if (others.length > 0) return { state: 'busy', reason: `${describe(others)} in the foreground.` };
  return { state: 'busy', reason: 'The shell itself is executing a command.' };
}

function describe(processes: readonly ForegroundProcess[]): string {
  return sentence(`${named(processes)} ${processes.length === 1 ? 'is' : 'are'} running`);
}

function named(processes: readonly ForegroundProcess[]): string {
  const shown = processes
    .slice(0, 3)
    .map((process) => `process ${process.pid} (${shownCommand(process.command).slice(0, 200)})`);
  const more = processes.length > 3 ? ` and ${processes.length - 3} more` : '';
  return `${shown.join(', ')}${more}`;
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
