import { spawn } from 'node:child_process';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import type { Writable } from 'node:stream';
import { isErrorCode, WaymarkError } from '@shared/contract/errors';
import { keyPipe, sendKeys } from '../environment/key-pipe';
import { makeFileIn, makeFoldersIn } from '../files/private';
import { storeFailure } from '../store/file/database';

/** How often to look whether the driver has taken its work up, ms, and when to give up. */
const lookMs = 50;
const patienceMs = 60_000;

export interface DriverOptions {
  /** The command line's script. */
  entry: string;
  /** Workspace. */
  folder: string;
  /** What it drives, as messages name it: `run 01…`. */
  what: string;
  /** The command that drives it; `--json` and the workspace are added. */
  words: readonly string[];
  /** For its output, below the workspace's `logs`. */
  log: string;
  /** Whether a process drives it, or has driven it to its end. */
  isTaken(): boolean | Promise<boolean>;
  /** Keys for the driver, by the variable that named them; they go to it by a pipe. */
  keys: Readonly<Record<string, string>>;
}

export interface Driver {
  pid: number | undefined;
  /** Below the workspace. */
  log: string;
  /** Resolves when a process drives it, or has driven it to rest. @throws WaymarkError why the driver could not */
  taken: Promise<void>;
}

/**
 * Starts a command in a process of its own: in its own session and process group, with a log file for output, so that it
 * neither ends with whoever started it nor hears when a link is cut. @throws WaymarkError the log cannot be made
 */
export async function startDriver(options: DriverOptions): Promise<Driver> {
  const { entry, folder, words, log: path } = options;
  const log = relative(folder, path);
  const file = await openLog(folder, path);
  const { size } = await file.stat();
  const child = spawn(process.execPath, [entry, ...words, '--json', '--workspace', folder], {
    detached: true,
    stdio: ['ignore', file.fd, file.fd, keyPipe.stdio],
    env: { ...process.env, ...keyPipe.variables },
  });
  sendKeys(child.stdio[3] as Writable, options.keys);
  const gone = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
  await file.close();
  child.unref();
  const taken = untilTaken(options, gone, () => lastWords(path, size));
  // Not everybody waits for it.
  taken.catch(() => undefined);
  return { pid: child.pid, log, taken };
}

async function openLog(folder: string, path: string): Promise<FileHandle> {
  try {
    makeFoldersIn(folder, 'logs');
    return await open(makeFileIn(folder, 'logs', basename(path)), 'a');
  } catch (thrown) {
    throw storeFailure(thrown, `the log ${path}`);
  }
}

async function untilTaken(
  { what, isTaken }: DriverOptions,
  gone: Promise<void>,
  words: () => Promise<string>,
): Promise<void> {
  let over = false;
  const ended = gone.then(() => {
    over = true;
  });
  const end = performance.now() + patienceMs;
  for (;;) {
    // In this order: one that was over before it was looked for has left whatever it stored.
    const wasOver = over;
    if (await isTaken()) return;
    if (wasOver) return throwFailure(what, await words());
    if (performance.now() > end) {
      throw new WaymarkError('timed_out', `No process has taken up ${what} within ${patienceMs / 1000} s.`);
    }
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, lookMs))]);
  }
}

/** What the driver wrote since it was started. */
async function lastWords(path: string, from: number): Promise<string> {
  const bytes = await readFile(path);
  return bytes.subarray(from).toString('utf8').trim();
}

/** A driver ends with one JSON document: what it did, or why it could not. */
function throwFailure(what: string, words: string): void {
  const line = words.split('\n').at(-1) ?? '';
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    throw new WaymarkError(
      'bug',
      words === ''
        ? `The process that was to drive ${what} ended at once without writing to its log. Make sure that the disk has room, then resume it.`
        : `The process that was to drive ${what} ended at once.`,
      words.slice(-2_000),
    );
  }
  if (typeof said !== 'object' || said === null || !('error' in said)) return;
  const { code, message } = said.error as { code?: unknown; message?: unknown };
  throw new WaymarkError(isErrorCode(code) ? code : 'bug', String(message));
}
