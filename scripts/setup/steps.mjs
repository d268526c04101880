import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuild, isBuildReady } from './build.mjs';
import { ensureCodeCache } from './code-cache.mjs';
import { areDependenciesReady, ensureDependencies } from './dependencies.mjs';
import { hasDisplay } from './display.mjs';
import { ensureElectron } from './electron-runtime.mjs';
import { ensureLaunch } from './launch-file.mjs';
import { ensureLinuxLibraries } from './linux-libraries.mjs';
import { underLock } from './lock.mjs';
import { projectRoot } from './project.mjs';
import { ensureSandbox } from './sandbox.mjs';
import { ensureSqlite, isSqliteReady } from './sqlite.mjs';
import { StepFailure } from './step-failure.mjs';
import { ensureTestHosts } from './test-hosts.mjs';

/** Lowest Node whose own features the build tools need. */
const LOWEST_NODE = [20, 19];

/**
 * Every step, in order. `for` names the purposes that need it: the window, or the engine under plain Node. `isReady` tells
 * without the lock, and without changing anything, that there is nothing to do; what another process is in the middle of is
 * not ready.
 */
const steps = [
  {
    name: 'dependencies',
    for: ['window', 'engine', 'tests'],
    isReady: areDependenciesReady,
    run: ({ say }) => ensureDependencies({ say }),
  },
  {
    name: 'Electron',
    for: ['window'],
    run: async (context) => {
      context.runtime = await ensureElectron(context);
      return `${context.runtime.version} (${describeKind(context.runtime.kind)})`;
    },
  },
  {
    name: 'database library',
    for: ['window', 'engine', 'tests'],
    isReady: isSqliteReady,
    run: ({ say, runtime }) => ensureSqlite({ say, electronNodeApi: runtime?.nodeApi }),
  },
  {
    name: 'Linux libraries',
    for: ['window'],
    run: ({ say, runtime, needXvfb }) =>
      ensureLinuxLibraries({ executable: runtime.executable, needXvfb, say }),
  },
  {
    name: 'sandbox',
    for: ['window'],
    run: ({ runtime }) => ensureSandbox({ executable: runtime.executable }),
  },
  { name: 'test hosts', for: ['tests'], run: ensureTestHosts },
  { name: 'build', for: ['window', 'engine'], isReady: isBuildReady, run: ({ say }) => ensureBuild({ say }) },
  { name: 'code cache', for: ['window'], run: ensureCodeCache },
  { name: 'runs', for: ['window'], run: ({ runtime }) => ensureLaunch({ runtime }) },
];

/**
 * Brings the machine to where the purpose can be served, doing only what is missing.
 *
 * @param {'window' | 'engine' | 'tests'} purpose the window, the command line, or the unit tests
 * @param {{ quiet?: boolean, needXvfb?: boolean, alsoTests?: boolean, skip?: string[], state?: string }} [options] `quiet` prints only what
 *   takes long; `needXvfb` asks for it even where there is a display; `alsoTests` adds what the unit tests need; `skip`
 *   leaves steps out by name; `state` is the folder of the lock
 * @returns {Promise<{ runtime?: import('./electron-runtime.mjs').ElectronRuntime }>}
 * @throws {StepFailure}
 */
export async function ensureSetUp(
  purpose,
  {
    quiet = false,
    needXvfb = false,
    alsoTests = false,
    skip = [],
    state = join(projectRoot, '.waymark'),
  } = {},
) {
  checkNode();
  const say = (text) => process.stderr.write(`${text}\n`);
  const purposes = alsoTests ? [purpose, 'tests'] : [purpose];
  const wanted = steps.filter(
    (step) => step.for.some((one) => purposes.includes(one)) && !skip.includes(step.name),
  );
  // Nothing is to be done, so nobody is waited for: whoever holds the lock may be stopped.
  if (quiet && wanted.every(({ isReady }) => isReady?.())) return {};
  const context = { say, needXvfb: needXvfb || !hasDisplay() };
  mkdirSync(state, { recursive: true });
  await underLock(join(state, 'setup.lock'), {
    onWait: (pid) =>
      say(`Waiting for the set-up that process ${pid} is running … If that process hangs, end it.`),
    work: async () => {
      for (const step of wanted) {
        const started = performance.now();
        const line = await runStep(step, context);
        if (!quiet) say(`✓ ${step.name}: ${line} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
      }
    },
  });
  return { runtime: context.runtime };
}

/** A full disk or a folder that may not be written to can stop any step; it is no bug either. */
async function runStep(step, context) {
  try {
    return await step.run(context);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOSPC', 'EROFS', 'EDQUOT', 'ENOTDIR'].includes(error.code)) throw error;
    throw new StepFailure(
      step.name,
      error.message,
      `Make ${error.path ?? 'that place'} writable, with 1 GB free, then run the same command again.`,
    );
  }
}

/**
 * Runs a script's work and ends the process with its exit code; a failed step is explained, not traced.
 *
 * @param {() => Promise<number | undefined>} work gives the exit code
 */
export async function runScript(work) {
  let code = 1;
  try {
    code = (await work()) ?? 0;
  } catch (error) {
    process.stderr.write(`${error instanceof StepFailure ? error.describe() : error.stack}\n`);
  }
  // Not `process.exitCode`: the exit hook that electron-builder brings ends the process with 0 whatever it says.
  process.stdout.write('', () => process.exit(code));
}

function describeKind(kind) {
  return { official: 'official', fallback: 'test runtime', path: 'from WAYMARK_ELECTRON' }[kind];
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > LOWEST_NODE[0] || (major === LOWEST_NODE[0] && minor >= LOWEST_NODE[1])) return;
  throw new StepFailure(
    'Node',
    `this is Node ${process.versions.node}.`,
    `Install Node ${LOWEST_NODE.join('.')} or newer.`,
  );
}
