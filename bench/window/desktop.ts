import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Settings } from '@shared/contract/settings';
import { startDemoRun } from '../../electron/demo/start-demo-run';
import { SettingsFile } from '../../electron/settings-file';
import { openEngine } from '../durability/engine-child';
import { author } from '../engine/run-events';

/** What set-up left about starting Electron (scripts/setup/launch-file.mjs): with its sandbox, so never as root. */
interface Launch {
  executablePath: string;
  application: string;
  env: Record<string, string>;
  user: { uid: number; gid: number } | null;
}

/** Program, arguments and environment of a start; also what Playwright takes. */
export interface Start {
  executablePath: string;
  args: string[];
  env: Record<string, string>;
}

function readLaunch(): Launch {
  return JSON.parse(readFileSync(join('node_modules', '.waymark', 'launch.json'), 'utf8')) as Launch;
}

/** A folder that the application, another user's process under root, may read and write. */
export function give(folder: string): void {
  const { user } = readLaunch();
  if (user === null) return;
  const { status, stderr } = spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, folder], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${folder} could not be given to the application: ${stderr}`);
}

function environment(folder: string, launch: Launch): Record<string, string> {
  const env = { ...process.env, ...launch.env, HOME: folder, WAYMARK_DATA: join(folder, 'settings') };
  const kept = Object.entries(env).filter(
    ([name]) => !/^(ELECTRON_RUN_AS_NODE|WAYMARK_WORKSPACE)$/.test(name),
  );
  return Object.fromEntries(kept.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/**
 * A finished demo run in a workspace of its own, with settings that open it at once; `more` settings as told. Returns
 * the run's id.
 */
export async function prepareDemo(folder: string, more: Partial<Settings> = {}): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const bench = await openEngine(folder);
  let run: string;
  try {
    run = await startDemoRun(bench, { author, resourcesDir: join(process.cwd(), 'resources') });
    await bench.engine.waitRun(run);
    await bench.store.drain();
    await bench.engine.cleanSessions(new Set());
  } finally {
    await bench.close();
  }
  await openAtOnce(folder, more);
  return run;
}

/** Settings that open `<folder>/workspace` at once, and everything given to the application's user. */
export async function openAtOnce(folder: string, more: Partial<Settings> = {}): Promise<void> {
  const settings = await SettingsFile.open(join(folder, 'settings'));
  await settings.set({ annotator: author, workspace: join(folder, 'workspace'), ...more });
  give(folder);
}

/** The application on what `prepareDemo` left in the folder. */
export function application(folder: string): Start {
  const launch = readLaunch();
  const args = [launch.application, '--report-usable'];
  return { executablePath: launch.executablePath, args, env: environment(folder, launch) };
}

/** The smallest Electron application, with a copy in the folder for the user it runs as. */
export function helloWorld(folder: string): Start {
  const launch = readLaunch();
  const copy = join(folder, 'hello-electron');
  cpSync(join('bench', 'baselines', 'hello-electron'), copy, { recursive: true });
  give(folder);
  return { executablePath: launch.executablePath, args: [copy], env: environment(folder, launch) };
}

/** A bare virtual list of so many rows in the same Electron, with a copy in the folder for the user it runs as. */
export function emptyList(folder: string, rows: number): Start {
  const launch = readLaunch();
  const copy = join(folder, 'empty-list');
  cpSync(join('bench', 'baselines', 'empty-list'), copy, { recursive: true });
  give(folder);
  return {
    executablePath: launch.executablePath,
    args: [copy, `rows=${rows}`],
    env: environment(folder, launch),
  };
}

/** Where large runs are kept between benches; they take minutes to make. */
export function runCache(): string {
  const { WAYMARK_CACHE } = readLaunch().env;
  return join(WAYMARK_CACHE ?? tmpdir(), 'realistic-runs');
}

export interface Running {
  process: ChildProcess;
  /** From spawn to the line that says the window can be used, ms. */
  usableMs: number;
}

const USABLE_WITHIN_MS = 60_000;

/** Starts an application and waits for its line `usable`. */
export function launch({ executablePath, args, env }: Start): Promise<Running> {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const child = spawn(executablePath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${args.join(' ')} was not usable within ${USABLE_WITHIN_MS / 1000} s.`));
    }, USABLE_WITHIN_MS);
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('usable ')) return;
      clearTimeout(late);
      resolve({ process: child, usableMs: performance.now() - begin });
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`${args.join(' ')} ended (${code}) before it was usable.`)),
    );
  });
}

export async function end({ process: child }: Running): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}
