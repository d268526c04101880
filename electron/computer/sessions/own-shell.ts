/** How the supervisors start a session's shell; a subshell that bash forks from it bears the same line. */
const started = /(?:^|\/)bash (?:--noediting )?--rcfile \S/;

/** The command line of a process as people and models may read it: how our own shell was started is nothing to them. */
export function shownCommand(command: string): string {
  return started.test(command) ? 'bash (part of the command)' : command;
}
