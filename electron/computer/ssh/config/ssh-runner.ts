import { spawn } from 'node:child_process';
import { ConnectFailure } from '../transport';

/** How the user's ssh is found and what it reads; the same for looking settings up and for connecting. */
export interface SshSetup {
  /** Read instead of `~/.ssh/config` and the system's file, as by `ssh -F`. Absolute. */
  configFile?: string | undefined;
  /** Name on PATH or absolute path; `ssh` when absent. */
  program?: string | undefined;
  /** For ssh and for everything it starts; ours when absent. */
  environment?: NodeJS.ProcessEnv | undefined;
}

interface SshAnswer {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the ssh program to its end. @throws ConnectFailure unsupported (no such program), timeout; the signal's reason */
export type RunSsh = (args: readonly string[], signal?: AbortSignal) => Promise<SshAnswer>;

/** A `Match exec` of the user's may look something up; a minute would look like a hang. */
const limitMs = 15_000;
const maxOutput = 1 << 20;

export function sshRunner(setup: SshSetup): RunSsh {
  return (args, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const program = setup.program ?? 'ssh';
      const child = spawn(program, args, {
        env: setup.environment ?? process.env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const texts = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].setEncoding('utf8');
        child[name].on('data', (text: string) => {
          texts[name] = (texts[name] + text).slice(0, maxOutput);
        });
      }
      const end = (settle: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        child.kill('SIGKILL');
        settle();
      };
      const onAbort = () => end(() => reject(signal?.reason));
      const timer = setTimeout(() => end(() => reject(tooSlow(program))), limitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      child.once('error', (error: NodeJS.ErrnoException) => end(() => reject(cannotRun(program, error))));
      child.once('close', (code) => end(() => resolve({ code, ...texts })));
    });
}

export function cannotRun(program: string, error: NodeJS.ErrnoException): ConnectFailure {
  return new ConnectFailure(
    'unsupported',
    'resolve',
    error.code === 'ENOENT'
      ? `The program "${program}" was not found; hosts are looked up with it. Install the OpenSSH client ` +
          '(package openssh-client on Debian and Ubuntu, openssh-clients on Fedora), then try again.'
      : `The program "${program}" cannot be run (${error.message}). Fix that, then try again.`,
    undefined,
    { cause: error },
  );
}

function tooSlow(program: string): ConnectFailure {
  return new ConnectFailure(
    'timeout',
    'resolve',
    `"${program} -G" did not end within ${limitMs / 1000} s. A "Match exec" of your ssh configuration may be waiting ` +
      'for something: run it in a terminal to see.',
  );
}
