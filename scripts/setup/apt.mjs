import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { StepFailure } from './step-failure.mjs';

/**
 * Runs apt-get without questions.
 *
 * @param {string} step name of the step it is for
 * @param {string[]} args
 * @throws {StepFailure} with apt's own errors
 */
export function runApt(step, args) {
  const result = spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status === 0) return;
  const errors = result.stderr.split('\n').filter((line) => line.startsWith('E:'));
  throw new StepFailure(
    step,
    `apt-get ${args[0]} failed: ${errors.slice(0, 3).join(' ') || `exit ${result.status}`}`,
    `Fix it, or run this yourself: apt-get update && apt-get ${args.join(' ')}; then run the same command again.`,
  );
}

/** @returns {boolean} whether a command is on PATH, or where only root has it there */
export function onPath(command) {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'].some(
    (folder) => folder && existsSync(join(folder, command)),
  );
}
