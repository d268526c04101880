import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { WaymarkError } from '@shared/errors';

/** How a shell line ended. `output` is stdout and stderr as they came, cut in the middle when long. */
export interface ProcessOutcome {
  ended: 'exit' | 'signal' | 'timeout' | 'spawn_failed';
  exitCode: number | null;
  signal: string | null;
  output: string;
  /** Last whole line of stdout that is not blank; '' when there is none. */
  lastLine: string;
  durationMs: number;
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
  signal: AbortSignal;
}

const KEEP = 64 * 1024;
const LAST_LINE = 1024 * 1024;

/** A path of the application's PATH, or the usual one. */
function searchPath(): string {
  return process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin';
}

/** Those of `programs` that are not on the PATH. */
export async function missingPrograms(programs: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const program of programs) {
    const places = searchPath().split(delimiter).filter(Boolean);
    const found = await Promise.all(places.map((place) => isExecutable(join(place, program))));
    if (!found.includes(true)) missing.push(program);
  }
  return missing;
}

async function isExecutable(path: string): Promise<boolean> {
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
 * Runs a shell line as its own process group and kills the whole group on time-out or abort.
 * @throws WaymarkError `cancelled` when `signal` aborts
 */
export function runProcess(order: ProcessOrder): Promise<ProcessOutcome> {
  const { promise, resolve, reject } = pending<ProcessOutcome>();
  const cancelled = () => new WaymarkError('cancelled', 'The command was cancelled.');
  if (order.signal.aborted) return Promise.reject(cancelled());
  const started = performance.now();
  const head: Buffer[] = [];
  const tail: Buffer[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let cut = 0;
  let lines = Buffer.alloc(0);
  let timedOut = false;

  const shell = ['/bin/sh', '-c', order.command];
  const { within = [] } = order;
  const inside = ['--die-with-parent', '--remount-ro', '/', '--chdir', order.cwd, '--'];
  const [program = '', ...args] = within.length === 0 ? shell : [...within, ...inside, ...shell];
  const child: ChildProcess = spawn(program, args, {
    cwd: order.cwd,
    env: { PATH: searchPath(), LANG: 'C.UTF-8', ...order.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killGroup = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup();
  }, order.timeoutMs);
  const onAbort = () => killGroup();
  order.signal.addEventListener('abort', onAbort, { once: true });

  const collect = (chunk: Buffer) => {
    if (headBytes < KEEP) {
      head.push(chunk.subarray(0, KEEP - headBytes));
      headBytes += Math.min(chunk.length, KEEP - headBytes);
      chunk = chunk.subarray(head.at(-1)?.length ?? 0);
    }
    if (chunk.length === 0) return;
    tail.push(chunk);
    tailBytes += chunk.length;
    while (tailBytes - (tail[0]?.length ?? 0) > KEEP) {
      const gone = tail.shift()?.length ?? 0;
      tailBytes -= gone;
      cut += gone;
    }
  };
  child.stdout?.on('data', (chunk: Buffer) => {
    collect(chunk);
    lines = Buffer.concat([lines, chunk]);
    if (lines.length > LAST_LINE) lines = lines.subarray(lines.length - LAST_LINE);
  });
  child.stderr?.on('data', collect);

  let settled = false;
  const settle = (outcome: Omit<ProcessOutcome, 'output' | 'lastLine' | 'durationMs'>, extra = '') => {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    order.signal.removeEventListener('abort', onAbort);
    child.stdout?.destroy();
    child.stderr?.destroy();
    if (order.signal.aborted) {
      reject(cancelled());
      return;
    }
    const middle = cut > 0 ? `\n... ${cut} bytes left out ...\n` : '';
    const output = `${Buffer.concat(head).toString('utf8')}${middle}${Buffer.concat(tail).toString('utf8')}${extra}`;
    const printed = lines
      .toString('utf8')
      .split('\n')
      .filter((text) => text.trim() !== '');
    const durationMs = Math.round(performance.now() - started);
    resolve({ ...outcome, output, lastLine: printed.at(-1)?.trim() ?? '', durationMs });
  };
  const ended = (code: number | null, signal: string | null) => {
    killGroup();
    settle({ ended: timedOut ? 'timeout' : signal === null ? 'exit' : 'signal', exitCode: code, signal });
  };
  child.once('error', (error) =>
    settle({ ended: 'spawn_failed', exitCode: null, signal: null }, error.message),
  );
  child.once('close', ended);
  // A process that left the group may keep the pipes open; half a second after the shell's end is enough.
  child.once('exit', (code, signal) => setTimeout(() => ended(code, signal), 500).unref());
  return promise;
}

function pending<T>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (reason: unknown) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
