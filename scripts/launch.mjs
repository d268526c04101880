import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { readLaunch } from './setup/launch-file.mjs';

/**
 * What starts the real application, for `spawn` and for Playwright's `_electron.launch` alike. Set-up must
 * have been run. Pass `chromiumSandbox: true` to Playwright: the sandbox is always on.
 *
 * @param {{ args?: string[], env?: Record<string, string | undefined> }} [options] what follows the application's
 *   folder on the command line; variables on top of this process's own
 * @returns {{ executablePath: string, args: string[], env: Record<string, string>, cwd: string }}
 */
export function electronLaunch({ args = [], env = {} } = {}) {
  const launch = readLaunch();
  const merged = { ...process.env, ...launch.env, ...env };
  delete merged.ELECTRON_RUN_AS_NODE;
  const defined = Object.entries(merged).filter((entry) => entry[1] !== undefined);
  return {
    executablePath: launch.executablePath,
    args: [launch.application, ...args],
    env: Object.fromEntries(defined),
    cwd: launch.application,
  };
}

/** @returns {import('./setup/launch-file.mjs').Launch['runtime']} the Electron that set-up resolved */
export function electronRuntime() {
  return readLaunch().runtime;
}

/**
 * Makes a folder (and what is in it) belong to the user that the application runs as. Does nothing except
 * under root, where that is another user.
 *
 * @param {string} folder absolute path; created when missing
 */
export function giveToApplication(folder) {
  mkdirSync(folder, { recursive: true });
  const { user } = readLaunch();
  if (user === null) return;
  chownSync(folder, user.uid, user.gid);
  spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, folder]);
}

/**
 * Starts the application on this terminal and waits for its end.
 *
 * @param {{ args?: string[], env?: Record<string, string | undefined> }} options
 * @returns {Promise<number>} its exit code; 1 when a signal ended it
 */
export function runApplication(options) {
  const { executablePath, args, env, cwd } = electronLaunch(options);
  return new Promise((resolve, reject) => {
    const child = spawn(executablePath, args, { cwd, env, stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => child.kill(signal));
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
