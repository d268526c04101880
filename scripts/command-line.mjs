import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './setup/project.mjs';
import { ensureSetUp } from './setup/steps.mjs';

/**
 * Runs the command line of the built application under this Node. Set-up is done first when needed; what it
 * has to say goes to stderr, so that stdout holds the command's own output only.
 *
 * @param {string[]} args
 * @returns {Promise<number>} its exit code, or 128 + the signal that ended it
 */
export async function runCommandLine(args) {
  await ensureSetUp('engine', { quiet: true });
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(projectRoot, 'out', 'main', 'cli.js'), ...args], {
      stdio: 'inherit',
      cwd: process.env.INIT_CWD ?? process.cwd(), // npm starts scripts in the project; paths are the caller's
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}
