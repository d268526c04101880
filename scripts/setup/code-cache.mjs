import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './project.mjs';
import { StepFailure } from './step-failure.mjs';

const STEP = 'code cache';

/** A build empties `out/main`; so what lies there is of the last build. */
const folder = join(projectRoot, 'out', 'main', 'code-cache');
const stampFile = join(folder, '.made-by');

/**
 * Has the Electron that runs the application write V8's code cache beside the built code.
 *
 * @param {{ runtime: import('./electron-runtime.mjs').ElectronRuntime }} options
 * @returns {Promise<string>} the progress line
 */
export async function ensureCodeCache({ runtime }) {
  const stamp = `${runtime.version} ${runtime.executable}`;
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return 'up to date';
  rmSync(folder, { recursive: true, force: true });
  const { code, output } = await run(runtime.executable);
  if (code !== 0 || !/^\d+ chunks/m.test(output)) {
    throw new StepFailure(
      STEP,
      `Electron ${runtime.version} could not load the built code (exit ${code}).\n    ${lastLines(output)}`,
      'Fix what it names, then run the same command again.',
    );
  }
  writeFileSync(stampFile, stamp);
  return output.trim();
}

/** A line of built code that an error is shown with may be a whole chunk. */
function lastLines(output) {
  const lines = output.trim().split('\n').slice(-25);
  return lines.map((line) => line.slice(0, 300)).join('\n    ');
}

function run(executable) {
  return new Promise((resolve, reject) => {
    const entry = join(projectRoot, 'out', 'main', 'code-cache-writer.js');
    const child = spawn(executable, [entry], { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
