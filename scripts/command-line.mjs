import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectRoot } from './setup/project.mjs';
import { StepFailure } from './setup/step-failure.mjs';
import { ensureSetUp } from './setup/steps.mjs';

/**
 * Becomes the command line of the built application, in this process: a second one would cost its start again. Set-up is
 * done first when needed; what it has to say goes to stderr, so that stdout holds the command's own output only. The
 * command sets the exit code.
 *
 * @param {string[]} args
 * @returns {Promise<void>} resolves when the command has begun
 */
export async function runCommandLine(args) {
  try {
    await ensureSetUp('engine', { quiet: true });
  } catch (error) {
    process.stderr.write(`${error instanceof StepFailure ? error.describe() : error.stack}\n`);
    process.exitCode = 1;
    return;
  }
  // npm starts scripts in the project; paths are the caller's.
  process.chdir(process.env.INIT_CWD ?? process.cwd());
  const entry = join(projectRoot, 'out', 'main', 'cli.js');
  process.argv = [process.execPath, entry, ...args];
  createRequire(import.meta.url)(entry);
}
