import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand } from './npm.mjs';
import { projectRoot } from './project.mjs';
import { StepFailure } from './step-failure.mjs';

const STEP = 'dependencies';

/**
 * Installs node_modules with `npm ci` when it does not hold what package-lock.json says.
 *
 * @param {{ say: (text: string) => void }} options
 * @returns {Promise<string>} the progress line
 */
export async function ensureDependencies({ say }) {
  const lock = readJson(join(projectRoot, 'package-lock.json'));
  if (lock === undefined)
    throw new StepFailure(
      STEP,
      'package-lock.json is missing or damaged.',
      'Run: git checkout package-lock.json',
    );
  const difference = installedDifference();
  if (difference === undefined) return 'as locked';
  say(`${STEP}: npm ci (${difference}) …`);
  const started = Date.now();
  const npm = npmCommand(['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  const result = spawnSync(npm.command, npm.args, {
    cwd: projectRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status !== 0) {
    throw new StepFailure(
      STEP,
      `npm ci failed (exit ${result.status ?? result.signal}).\n    ${lastLines(`${result.stdout}\n${result.stderr}`)}`,
      "Check the network and npm's registry setting (npm ping), then run the same command again; it starts afresh.",
    );
  }
  const after = installedDifference();
  if (after !== undefined)
    throw new StepFailure(
      STEP,
      `npm ci ended well, yet ${after}.`,
      'Delete node_modules and run the same command again.',
    );
  return `installed in ${Math.round((Date.now() - started) / 1000)} s`;
}

/** @returns {boolean} whether node_modules holds what package-lock.json says */
export function areDependenciesReady() {
  return existsSync(join(projectRoot, 'package-lock.json')) && installedDifference() === undefined;
}

function installedDifference() {
  const lock = readJson(join(projectRoot, 'package-lock.json'));
  // npm writes this file last, so an interrupted installation has none.
  const installed = readJson(join(projectRoot, 'node_modules', '.package-lock.json'));
  return lockDifference(lock, installed, (path) => existsSync(join(projectRoot, path, 'package.json')));
}

/**
 * The first thing in which an installation differs from the lock.
 *
 * @param {{ packages: Record<string, { version?: string, integrity?: string, optional?: boolean }> }} lock package-lock.json
 * @param {{ packages: Record<string, { version?: string, integrity?: string }> } | undefined} installed node_modules/.package-lock.json
 * @param {(path: string) => boolean} isThere whether the package folder holds a package
 * @returns {string | undefined} undefined when they are equal (packages for other platforms may be absent)
 */
export function lockDifference(lock, installed, isThere) {
  if (installed === undefined) return 'nothing is installed yet';
  for (const [path, wanted] of Object.entries(lock.packages)) {
    if (path === '') continue;
    const found = installed.packages[path];
    if (found === undefined) {
      if (wanted.optional) continue;
      return `${path} is not installed`;
    }
    if (found.version !== wanted.version || found.integrity !== wanted.integrity)
      return `${path} is another version`;
    if (!isThere(path)) return `${path} is damaged`;
  }
  const extra = Object.keys(installed.packages).find((path) => lock.packages[path] === undefined);
  return extra === undefined ? undefined : `${extra} is not in the lock`;
}

function readJson(path) {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // a half-written file counts as none
    throw error;
  }
}

function lastLines(text) {
  return text.trim().split('\n').slice(-8).join('\n    ');
}
