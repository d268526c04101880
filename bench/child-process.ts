import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** Program and arguments that run this very bundle as the named child. */
export function childCommand(name: string, args: readonly string[]): [string, ...string[]] {
  const entry = process.argv[1];
  if (entry === undefined) throw new Error('The bench does not know its own file.');
  return [process.execPath, '--enable-source-maps', entry, '--child', name, ...args];
}

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
}

export type OpenChild = ChildProcessByStdio<null, Readable, null>;

/** Starts a program with its stdout in a pipe and its stderr on ours. */
export function start([program, ...args]: readonly [string, ...string[]]): OpenChild {
  return spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Resolves when the program is gone and all it printed was read. */
export function finished(child: OpenChild): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    child.stdout.on('data', (bytes: Buffer) => chunks.push(bytes));
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve({ code, signal, out: Buffer.concat(chunks).toString('utf8') }),
    );
  });
}
