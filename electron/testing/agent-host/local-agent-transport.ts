import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostChannel, HostTransport } from '../../computer/ssh/transport';
import { ChildStream } from './child-stream';

export interface LocalAgentOptions {
  /** Without perl python3 is all there is; with it perl comes first. */
  helper: 'perl' | 'python3';
  /** An empty directory: everything of the host's user is below it. */
  root: string;
  /** Added to the environment a login would make. */
  environment?: Readonly<Record<string, string>>;
}

/** A "host" that is a child process on this machine, with a home of its own and without a network in between. */
export interface LocalAgentTransport extends HostTransport {
  /** Directory below which its sessions are kept, if the helper follows XDG_STATE_HOME. */
  readonly stateHome: string;
  /** Kills the helper without a word, as a lost connection would end it. Sessions live on. */
  cut(): void;
  /** The helper stops in its tracks; nothing is closed. */
  freeze(): void;
  thaw(): void;
  /**
   * Requests still reach the helpers that run now, but from the next one of that kind on nothing comes back: what a link that
   * dies at that moment does. `cut` ends it.
   */
  loseAnswersFrom(op: string): void;
  /** Helpers that were started so far. */
  readonly opened: number;
  /** Bytes that came from them so far. */
  readonly received: number;
  /** Kills what is left of them and resolves when they are gone. */
  dispose(): Promise<void>;
}

/** Version managers' shims start slowly, and every session starts one. */
const systemPath = (process.env.PATH ?? '')
  .split(':')
  .filter((part) => !part.endsWith('shims'))
  .join(':');

export function localAgentTransport({ helper, root, environment }: LocalAgentOptions): LocalAgentTransport {
  const home = join(root, 'home');
  const stateHome = join(home, '.local', 'state');
  const bin = join(root, 'bin');
  mkdirSync(home, { recursive: true });
  mkdirSync(bin, { recursive: true });
  if (helper === 'python3') hideProgram(join(bin, 'perl'));
  const children = new Set<ChildProcessWithoutNullStreams>();
  const streams = new Set<ChildStream>();
  const exits = new Set<Promise<unknown>>();
  let opened = 0;
  let received = 0;

  const signal = (name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT') => {
    for (const { pid } of children) {
      if (pid !== undefined) signalGroup(pid, name);
    }
  };

  return {
    stateHome,
    get opened() {
      return opened;
    },
    get received() {
      return received;
    },
    async open(command, options): Promise<HostChannel> {
      options.signal.throwIfAborted();
      opened += 1;
      const child = spawn('/bin/sh', ['-c', command], {
        cwd: home,
        // Its own group, so that all of the helper can be stopped and killed at once. Sessions leave it.
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
        env: {
          HOME: home,
          XDG_STATE_HOME: stateHome,
          USER: process.env.USER ?? 'root',
          LOGNAME: process.env.USER ?? 'root',
          LANG: 'C.UTF-8',
          SHELL: '/bin/bash',
          ...environment,
          PATH: `${bin}:${systemPath}`,
        },
      });
      children.add(child);
      child.stdout.on('data', (piece: Buffer) => {
        received += piece.length;
      });
      let words = '';
      child.stderr.on('data', (piece: Buffer) => {
        words = (words + piece.toString()).slice(-4000);
      });
      const closed = new Promise<{ reason: string }>((resolve) => {
        child.on('error', (error) => resolve({ reason: error.message }));
        child.on('close', (code, killed) => {
          children.delete(child);
          resolve({ reason: words.trim() || `the helper ended (${killed ?? code}).` });
        });
      });
      exits.add(closed);
      const stream = new ChildStream(child);
      streams.add(stream);
      stream.on('close', () => streams.delete(stream));
      return { stream, closed, close: () => stream.destroy() };
    },
    cut: () => signal('SIGKILL'),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    loseAnswersFrom(op) {
      for (const stream of streams) stream.loseAnswersFrom(op);
    },
    async dispose() {
      signal('SIGKILL');
      await Promise.all(exits);
    },
  };
}

/** For whoever looks on PATH it is not installed. */
function hideProgram(path: string): void {
  writeFileSync(path, '#!/bin/sh\nexit 127\n');
  chmodSync(path, 0o755);
}

function signalGroup(leader: number, name: NodeJS.Signals): void {
  try {
    process.kill(-leader, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
