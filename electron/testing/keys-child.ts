import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { keepOutOfCoreDumps } from '../environment/core-dumps';
import { receivedKeys } from '../environment/key-pipe';
import { takenEnvironment } from '../environment/taken-environment';

/**
 * A process as our entry points are: it takes its keys, with one child started before and one afterwards. Prints one line
 * `[own pid, before, after, keys]` and lives until its input ends.
 */
function idle(): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(process.execPath, ['-e', 'console.log(1); process.stdin.resume()'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function main(): Promise<void> {
  const before = idle();
  await once(before.stdout, 'data');
  keepOutOfCoreDumps();
  const taken = takenEnvironment(process.env, receivedKeys());
  const asked = taken.PLANTED_PLAIN;
  const after = idle();
  await once(after.stdout, 'data');
  const keys = { ...taken.taken(), PLANTED_PLAIN: asked };
  process.stdout.write(`${JSON.stringify([process.pid, before.pid, after.pid, keys])}\n`);
  process.stdin.resume();
  await once(process.stdin, 'end');
  for (const child of [before, after]) child.stdin.end();
}

void main();
