import { spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { finished, start } from '../child-process';

/** Finds strace; as root on a Debian system it is installed. Null when there is none, `say` tells why. */
export function findStrace(say: (line: string) => void): boolean {
  const there = () => spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0;
  if (there()) return true;
  if (process.getuid?.() === 0 && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0) {
    say('Installing strace');
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'strace'], { stdio: 'ignore' });
    if (there()) return true;
  }
  say(
    'strace is missing: this cannot be measured. Install it with your system, e.g. `apt-get install strace`.',
  );
  return false;
}

/** Runs a command under strace, all threads, only the named system calls; the trace goes to `file`. */
export async function traced(
  file: string,
  calls: readonly string[],
  command: readonly string[],
): Promise<{ out: string }> {
  const { code, signal, out } = await finished(
    start([
      'strace',
      ...['-f', '-qq', '-y', '-xx', '-s', '16777216', '--seccomp-bpf'],
      ...['-e', `trace=${calls.join(',')}`, '-e', 'signal=none', '-o', file, '--', ...command],
    ]),
  );
  if (code !== 0) throw new Error(`The traced process ended with ${code ?? signal}.`);
  return { out };
}

/** One finished system call: its arguments as strace prints them, and what it returned. */
export interface TracedCall {
  name: string;
  args: string;
  result: string;
}

/** The calls in the order they returned. A call that other threads interrupted stands on two lines. */
export async function* tracedCalls(file: string): AsyncGenerator<TracedCall> {
  const open = new Map<string, string>();
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    const space = line.indexOf(' ');
    const thread = line.slice(0, space);
    let text = line.slice(space).trimStart();
    if (text.endsWith('<unfinished ...>')) {
      open.set(thread, text.slice(0, -'<unfinished ...>'.length).trimEnd());
      continue;
    }
    if (text.startsWith('<... ')) {
      text = (open.get(thread) ?? '') + text.slice(text.indexOf('resumed>') + 'resumed>'.length);
      open.delete(thread);
    }
    const at = text.indexOf('(');
    const end = text.lastIndexOf(') = ');
    const aligned = end < 0 ? /\)\s+= /.exec(text)?.index : end;
    if (at < 0 || aligned === undefined) continue;
    yield {
      name: text.slice(0, at),
      args: text.slice(at + 1, aligned),
      result: text.slice(text.indexOf('=', aligned) + 1).trim(),
    };
  }
}

/** `17<\x2f\x74…>` → number and path. */
export function descriptor(text: string): { fd: number; path: string } {
  const match = /^(-?\d+)(?:<((?:\\x[0-9a-f]{2})*)>)?/.exec(text);
  return {
    fd: Number(match?.[1] ?? Number.NaN),
    path: match?.[2] === undefined ? '' : unhex(match[2]).toString(),
  };
}

/** The bytes of a string as strace prints it with `-xx`, quotes included or not. */
export function unhex(text: string): Buffer {
  return Buffer.from(text.replaceAll(/["\\x]/g, ''), 'hex');
}
