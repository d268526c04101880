import { randomInt } from 'node:crypto';
import { modelText } from '@shared/terminal/model-text';
import type { CommandOutcome, Computer, SessionInfo, SessionState } from '../../computer/port';

import { eventually, factDeadlineMs } from '../deadline';

/** What a suite gets to work with; fresh for every test. */
export interface ConformanceSetup {
  computer: Computer;
  /** An empty directory on that computer, absolute and without symbolic links. */
  workdir: string;
  /** A second port to the same sessions, as another start of the application would make. */
  again(): Promise<Computer>;
  /** Runs on that computer outside any session and returns its standard output. */
  shell(script: string): Promise<string>;
  /** Closes what is left and removes the directory. */
  dispose(): Promise<void>;
}

export interface Bench {
  computer: Computer;
  workdir: string;
  setup: ConformanceSetup;
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A number of seconds for `sleep` that no other test of this machine has: processes are told apart and counted by it. */
export const ownSeconds = () => String(randomInt(1e8, 1e9));

/** How many processes of the computer have command lines that match. */
export async function countRunning(bench: Bench, pattern: string): Promise<number> {
  return Number(await bench.setup.shell(`ps -Ao args= | grep -c '^${pattern}$' || true`));
}

export function openSession(
  bench: Bench,
  name = 's',
  more: Partial<Parameters<Computer['sessions']['create']>[0]> = {},
) {
  const spec = { name, cwd: bench.workdir, env: {}, rows: 40, cols: 120, profile: false, ...more };
  return bench.computer.sessions.create(spec);
}

/** Runs a command to its end; `output` are the exact bytes it wrote. */
export async function runToEnd(
  computer: Computer,
  command: string,
  name = 's',
): Promise<CommandOutcome & { output: Uint8Array; text: string; commandSeq: number }> {
  const { commandSeq } = await computer.sessions.run(name, command);
  const outcome = await computer.sessions.waitCommand(name, commandSeq, { timeoutMs: factDeadlineMs });
  const output = await readRange(computer, name, outcome.startOffset, outcome.endOffset);
  return { ...outcome, output, text: modelText(output), commandSeq };
}

export async function readRange(
  computer: Computer,
  name: string,
  from: number,
  to: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(to - from);
  for (let at = from; at < to; ) {
    const part = await computer.sessions.read(name, at, to - at);
    if (part.bytes.length === 0) throw new Error(`The log ends at ${at}, before ${to}.`);
    bytes.set(part.bytes, at - from);
    at += part.bytes.length;
  }
  return bytes;
}

export async function wholeText(computer: Computer, name = 's'): Promise<string> {
  const info = await computer.sessions.find(name);
  return modelText(await readRange(computer, name, 0, info?.endOffset ?? 0));
}

export function untilState(
  computer: Computer,
  state: SessionState['state'],
  name = 's',
  deadlineMs = factDeadlineMs,
): Promise<SessionState> {
  let last = '';
  return eventually(
    `session ${name} is ${state}`,
    async () => {
      const seen = await computer.sessions.state(name);
      last = `${seen.state}: ${seen.reason}`;
      return seen.state === state && seen;
    },
    deadlineMs,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)} It was ${last}`);
  });
}

export function untilText(computer: Computer, text: string, name = 's'): Promise<string> {
  return eventually(`session ${name} shows ${JSON.stringify(text)}`, async () => {
    const seen = await wholeText(computer, name);
    return seen.includes(text) && seen;
  });
}

export async function mustFind(computer: Computer, name = 's'): Promise<SessionInfo> {
  const info = await computer.sessions.find(name);
  if (!info) throw new Error(`There is no session ${name}.`);
  return info;
}
