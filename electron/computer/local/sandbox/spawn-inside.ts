import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';

/** Descriptors that `bwrap` reads its options from and says its first process on. Neither reaches what runs inside. */
const OPTIONS = 3;
const INFO = 4;

export interface InsideOrder {
  /** `bwrap` and its arguments, without the program to run; after `--`, if there is one, what has to run first. */
  command: readonly string[];
  /** More of `bwrap`'s. */
  options: readonly string[];
  /** What runs inside, with its arguments. */
  program: readonly string[];
  spawn: Omit<SpawnOptions, 'stdio'> & { stdio: ['ignore' | 'pipe', 'pipe', 'ignore' | 'pipe'] };
}

export interface InsideProcess {
  /** `bwrap` outside. */
  child: ChildProcess;
  /** The first process inside as this machine numbers it; undefined until `bwrap` has said so. With it everything inside ends. */
  first(): number | undefined;
}

/**
 * Starts a program in a sandbox. `bwrap` gets its options by a descriptor: its command line stands at `/proc/1/cmdline` inside and
 * would name the folders of the person.
 */
export function spawnInside({ command, options, program, spawn: more }: InsideOrder): InsideProcess {
  const { bubblewrap, own, check } = partsOf(command);
  const line = ['--args', String(OPTIONS), '--', ...check, ...program];
  const child = spawn(bubblewrap, line, { ...more, stdio: [...more.stdio, 'pipe', 'pipe'] });
  const words = [...own, '--info-fd', String(INFO), ...options];
  // Where there are no descriptors left there are no pipes either, and its error says so.
  const pipes: readonly unknown[] = child.stdio ?? [];
  const to = pipes[OPTIONS] as Duplex | undefined;
  // When it could not be started, or ends before it has read them, its end says so.
  to?.on('error', () => undefined);
  to?.end(words.map((word) => `${word}\0`).join(''));
  let said = '';
  const info = pipes[INFO] as Readable | undefined;
  info?.on('error', () => undefined);
  info?.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  const first = () => {
    const [, number] = /"child-pid":\s*(\d+)/.exec(said) ?? [];
    return number === undefined ? undefined : Number(number);
  };
  return { child, first };
}

/** The parts of a sandbox's command. */
function partsOf(command: readonly string[]): {
  bubblewrap: string;
  own: readonly string[];
  check: readonly string[];
} {
  const end = command.indexOf('--');
  const [bubblewrap = '', ...own] = end < 0 ? command : command.slice(0, end);
  return { bubblewrap, own, check: end < 0 ? [] : command.slice(end + 1) };
}
