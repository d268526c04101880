import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WaymarkError } from '@shared/contract/errors';
import { spawnInside } from '../computer/local/sandbox/spawn-inside';
import { KeptOutput } from './kept-output';
import type { WrittenLimit } from './written-limit';

/** How a shell line ended. `output` is stdout and stderr as they came, cut in the middle when long. */
export interface ProcessOutcome {
  /** `too_much`: it wrote more than its limit lets it. */
  ended: 'exit' | 'signal' | 'timeout' | 'spawn_failed' | 'too_much';
  exitCode: number | null;
  signal: string | null;
  output: string;
  /** Last whole line of stdout that is not blank; '' when there is none. */
  lastLine: string;
  durationMs: number;
  /** What of the limit was passed, a sentence; only with `too_much`. */
  why?: string;
}

export interface ProcessOrder {
  /** For `/bin/sh -c`. */
  command: string;
  /** A sandbox's command without the program to run: the shell is started inside it, in `cwd`. Empty: no sandbox. */
  within?: readonly string[];
  cwd: string;
  /** The whole environment besides PATH; nothing of the application's own environment is passed on. */
  env: Record<string, string>;
  timeoutMs: number;
  /** What it may write; absent: as much as it can. */
  limit?: WrittenLimit;
  signal: AbortSignal;
}

/** A process that cannot be killed, one that waits for a broken disk say, is waited for so long, ms. */
const killedMs = 10_000;
/** Looks at what was written: so far apart, ms, and so that they take a tenth of the time as long as they are quick. */
const lookMs = { least: 100, most: 2_000 };
const share = 10;

/** A path of the application's PATH, or the usual one. */
function searchPath(): string {
  return process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin';
}

/** The folders of that path, in its order. */
export function searchFolders(): string[] {
  return searchPath().split(delimiter).filter(Boolean);
}

/** Those of `programs` that are not on the PATH. */
export async function missingPrograms(programs: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const program of programs) {
    const found = await Promise.all(searchFolders().map((place) => isExecutable(join(place, program))));
    if (!found.includes(true)) missing.push(program);
  }
  return missing;
}

/** Whether it is a file that this process may run. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR') return false;
    throw error;
  }
}

/**
 * Runs a shell line to its end. In a sandbox nothing that it started is there any more when this resolves: the shell's parent is
 * the first process of the sandbox, and the kernel ends all others before that one is gone and `bwrap` with it. Without a sandbox
 * it is a process group of its own, which is killed as a whole; what left the group lives on.
 * @throws WaymarkError `cancelled` when `signal` aborts; Error when what was written could not be measured
 */
export async function runProcess(order: ProcessOrder): Promise<ProcessOutcome> {
  const { limit, signal } = order;
  const cancelled = () => new WaymarkError('cancelled', 'The command was cancelled.');
  if (signal.aborted) throw cancelled();
  const started = performance.now();
  const running = start(order);
  const stopWatching = new AbortController();
  let stopped: 'timeout' | 'too_much' | undefined;
  let why: string | undefined;
  const timer = setTimeout(() => {
    stopped ??= 'timeout';
    running.kill();
  }, order.timeoutMs);
  const onAbort = () => running.kill();
  signal.addEventListener('abort', onAbort, { once: true });
  const watched = watch(limit, running, stopWatching.signal).then(
    (found) => {
      if (found === null) return;
      stopped ??= 'too_much';
      why = found;
      running.kill();
    },
    (thrown: unknown) => {
      running.kill();
      throw thrown;
    },
  );
  // It is awaited below, once the process has ended.
  watched.catch(() => undefined);
  let ended: Ended;
  try {
    ended = await running.ended;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    stopWatching.abort();
  }
  if (signal.aborted) throw cancelled();
  await watched;
  const passed = stopped === undefined ? ((await limit?.why()) ?? undefined) : why;
  const { output, lastLine } = running.output.text();
  return {
    ...ended,
    output: output + ended.extra,
    lastLine,
    ...(passed === undefined ? {} : { why: passed }),
    ended: stopped ?? (passed === undefined ? ended.ended : 'too_much'),
    durationMs: Math.round(performance.now() - started),
  };
}

interface Ended {
  ended: 'exit' | 'signal' | 'spawn_failed';
  exitCode: number | null;
  signal: string | null;
  extra: string;
}

interface Running {
  readonly output: KeptOutput;
  readonly ended: Promise<Ended>;
  /** As `InsideProcess`; undefined where there is no sandbox. */
  first(): number | undefined;
  kill(): void;
}

function start({ command, within = [], cwd, env, limit }: ProcessOrder): Running {
  const options = { cwd, env: { PATH: searchPath(), LANG: 'C.UTF-8', ...env }, detached: true };
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  const inSandbox = within.length > 0;
  const shell = shellFor(command, limit, inSandbox);
  let child: ChildProcess;
  let first: () => number | undefined = () => undefined;
  if (inSandbox) {
    const more = ['--die-with-parent', '--as-pid-1', '--remount-ro', '/', '--chdir', cwd];
    const order = { command: within, options: more, program: shell, spawn: { ...options, stdio } };
    ({ child, first } = spawnInside(order));
  } else {
    const [program = '', ...args] = shell;
    child = spawn(program, args, { ...options, stdio });
  }
  const output = new KeptOutput();
  child.stdout?.on('data', (chunk: Buffer) => output.printed(chunk));
  child.stderr?.on('data', (chunk: Buffer) => output.complained(chunk));
  const killGroup = () => killed(child.pid === undefined ? undefined : -child.pid);
  let giveUp: NodeJS.Timeout | undefined;
  const kill = () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const number = first();
    if (number === undefined) {
      killGroup();
      return;
    }
    // With the first process inside all others end, and then `bwrap`: its end says that they have.
    killed(number);
    giveUp ??= setTimeout(killGroup, killedMs);
  };
  const ended = new Promise<Ended>((resolve) => {
    const done = (exitCode: number | null, signal: string | null) => {
      clearTimeout(giveUp);
      if (!inSandbox) killGroup();
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ ended: signal === null ? 'exit' : 'signal', exitCode, signal, extra: '' });
    };
    child.once('error', ({ message }) =>
      resolve({ ended: 'spawn_failed', exitCode: null, signal: null, extra: message }),
    );
    child.once('close', done);
    // A process that left the group may keep the pipes open; half a second after the shell's end is enough.
    child.once('exit', (code, signal) => setTimeout(() => done(code, signal), 500).unref());
  });
  return { output, ended, first, kill };
}

/** No file of it gets larger than all of them together may be: the kernel is faster than any look. */
function shellFor(command: string, limit: WrittenLimit | undefined, inSandbox: boolean): string[] {
  const blocks = limit === undefined ? '' : `ulimit -f ${Math.ceil(limit.most / 512)} 2>/dev/null; `;
  if (!inSandbox && blocks === '') return ['/bin/sh', '-c', command];
  // The outer shell is the first process of the sandbox: it collects what others leave, and has no signal from inside to fear.
  const line = inSandbox ? '/bin/sh -c "$1"; exit $?' : 'exec /bin/sh -c "$1"';
  return ['/bin/sh', '-c', `${blocks}${line}`, 'sh', command];
}

function killed(target: number | undefined): void {
  if (target === undefined) return;
  try {
    process.kill(target, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Looks at what is written until the limit is passed (why, in a sentence) or `stop` aborts (null). */
async function watch(
  limit: WrittenLimit | undefined,
  running: Running,
  stop: AbortSignal,
): Promise<string | null> {
  if (limit === undefined) return null;
  for (let pause = lookMs.least; !stop.aborted; ) {
    try {
      await sleep(pause, undefined, { signal: stop });
    } catch (error) {
      if (stop.aborted) return null;
      throw error;
    }
    const began = performance.now();
    const why = await limit.why(running.first());
    if (why !== null) return why;
    pause = Math.min(lookMs.most, Math.max(lookMs.least, share * (performance.now() - began)));
  }
  return null;
}
