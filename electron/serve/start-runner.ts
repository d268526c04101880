import { spawn } from 'node:child_process';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import type { Writable } from 'node:stream';
import { isErrorCode, WaymarkError } from '@shared/contract/errors';
import { keyPipe, sendKeys } from '../environment/key-pipe';
import { makeFileIn, makeFoldersIn } from '../files/private';
import { driverLog } from '../files/workspace-paths';
import { storeFailure } from '../store/file/database';

/** How often to look whether the runner has taken the run up, ms, and when to give up. */
const lookMs = 50;
const patienceMs = 60_000;

export interface RunnerOptions {
  /** The command line's script. */
  entry: string;
  /** Workspace. */
  folder: string;
  isDriven(run: string): boolean;
  /** Keys for the runner, by the variable that named them; they go to it by a pipe. */
  keys: Readonly<Record<string, string>>;
  /** A person was asked and agreed that the run goes on without isolation. */
  agreed: boolean;
}

export interface Runner {
  pid: number | undefined;
  /** Below the workspace. */
  log: string;
  /** Resolves when a process drives the run, or has driven it to rest. @throws WaymarkError why the runner could not */
  taken: Promise<void>;
}

/**
 * Drives a run in a process of its own: in its own session and process group, with a log file for output, so that it
 * neither ends with whoever started it nor hears when a link is cut.
 */
export async function startRunner(run: string, options: RunnerOptions): Promise<Runner> {
  const { entry, folder } = options;
  const path = driverLog(folder, run);
  const log = relative(folder, path);
  const file = await openLog(folder, path);
  const { size } = await file.stat();
  const child = spawn(
    process.execPath,
    [
      ...[entry, 'run', 'resume', run, '--wait', '--json', '--workspace', folder],
      ...(options.agreed ? ['--isolation', 'none'] : []),
    ],
    {
      detached: true,
      stdio: ['ignore', file.fd, file.fd, keyPipe.stdio],
      env: { ...process.env, ...keyPipe.variables },
    },
  );
  sendKeys(child.stdio[3] as Writable, options.keys);
  const gone = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
  await file.close();
  child.unref();
  const taken = untilTaken(run, options, gone, () => lastWords(path, size));
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
  run: string,
  { isDriven }: RunnerOptions,
  gone: Promise<void>,
  words: () => Promise<string>,
): Promise<void> {
  let over = false;
  const ended = gone.then(() => {
    over = true;
  });
  const end = performance.now() + patienceMs;
  while (!over && !isDriven(run)) {
    if (performance.now() > end) {
      throw new WaymarkError(
        'timed_out',
        `No process has taken up run ${run} within ${patienceMs / 1000} s.`,
      );
    }
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, lookMs))]);
  }
  if (over) throwFailure(run, await words());
}

/** What the runner wrote since it was started. */
async function lastWords(path: string, from: number): Promise<string> {
  const bytes = await readFile(path);
  return bytes.subarray(from).toString('utf8').trim();
}

/** A runner ends with one JSON document: what it did, or why it could not. */
function throwFailure(run: string, words: string): void {
  const line = words.split('\n').at(-1) ?? '';
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    throw new WaymarkError(
      'bug',
      words === ''
        ? `The process that was to drive run ${run} ended at once without writing to its log. Make sure that the disk has room, then resume the run.`
        : `The process that was to drive run ${run} ended at once.`,
      words.slice(-2_000),
    );
  }
  if (typeof said !== 'object' || said === null || !('error' in said)) return;
  const { code, message } = said.error as { code?: unknown; message?: unknown };
  throw new WaymarkError(isErrorCode(code) ? code : 'bug', String(message));
}
