import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildStamp } from './build.mjs';
import { cacheFolder } from './cache-folder.mjs';
import { projectRoot } from './project.mjs';
import {
  checkCacheIsReadable,
  ensureLauncher,
  ensureUser,
  mustDropPrivileges,
  readableApplication,
} from './unprivileged.mjs';

/**
 * How to start the application, as set-up left it.
 *
 * @typedef {object} Launch
 * @property {string} executablePath program to start: Electron, or under root a launcher that gives up root first
 * @property {string} application folder to pass as the first argument
 * @property {Record<string, string>} env to add to the environment
 * @property {{ kind: 'official' | 'fallback' | 'path', executable: string, version: string, nodeApi: number }} runtime
 * @property {{ name: string, uid: number, gid: number, home: string } | null} user who runs it, when it is not the caller
 */

/** @returns {string} */
function launchFile() {
  return join(projectRoot, 'node_modules', '.waymark', 'launch.json');
}

/**
 * @param {{ runtime: import('./electron-runtime.mjs').ElectronRuntime }} options
 * @returns {Promise<string>} the progress line
 */
export async function ensureLaunch({ runtime }) {
  const launch = plan(runtime);
  const text = `${JSON.stringify(launch, null, 2)}\n`;
  if (!existsSync(launchFile()) || readFileSync(launchFile(), 'utf8') !== text) {
    mkdirSync(dirname(launchFile()), { recursive: true });
    writeFileSync(`${launchFile()}.${process.pid}`, text);
    renameSync(`${launchFile()}.${process.pid}`, launchFile());
  }
  return launch.user === null
    ? 'as you'
    : `as ${launch.user.name}, with Chromium's sandbox (it refuses root)`;
}

function plan(runtime) {
  const env = { WAYMARK_CACHE: cacheFolder() };
  if (!mustDropPrivileges())
    return { executablePath: runtime.executable, application: projectRoot, env, runtime, user: null };
  const user = ensureUser();
  checkCacheIsReadable(user, runtime.executable);
  return {
    executablePath: ensureLauncher(runtime.executable, user),
    application: readableApplication(user, buildStamp()),
    env,
    runtime,
    user,
  };
}

/** @returns {Launch} what the last set-up found; throws when there was none */
export function readLaunch() {
  if (!existsSync(launchFile())) throw new Error('Set-up has not been run here: run `npm run setup` first.');
  return JSON.parse(readFileSync(launchFile(), 'utf8'));
}
