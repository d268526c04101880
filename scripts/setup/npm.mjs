import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * The folder of the npm that is running this script, or else of the first npm on PATH or beside Node.
 *
 * @returns {string} absolute path of npm's package folder
 */
export function npmFolder() {
  for (const candidate of candidates()) {
    if (existsSync(join(candidate, 'bin', 'npm-cli.js'))) return candidate;
  }
  throw new Error('npm was not found: it comes with Node; install Node 20.19 or newer.');
}

function* candidates() {
  const running = process.env.npm_execpath;
  if (running && existsSync(running)) yield dirname(dirname(realpathSync(running)));
  yield join(dirname(process.execPath), 'node_modules', 'npm');
  yield join(dirname(dirname(process.execPath)), 'lib', 'node_modules', 'npm');
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const npm = join(folder, 'npm');
    if (folder && existsSync(npm)) yield dirname(dirname(realpathSync(npm)));
  }
}

/**
 * The command line that starts npm with this Node, whatever shell there is.
 *
 * @param {string[]} args
 * @returns {{ command: string, args: string[] }}
 */
export function npmCommand(args) {
  return { command: process.execPath, args: [join(npmFolder(), 'bin', 'npm-cli.js'), ...args] };
}
